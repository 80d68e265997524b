'use strict';

const { SetupError } = require('../errors.js');
const { withLock } = require('../lock.js');
const { DEFAULT_HOST } = require('./endpoint.js');
const { ageWarning, findEngine, whyUnusable } = require('./find.js');
const { canProvideEngine, provideEngine } = require('./local.js');

/**
 * Resolves with a Docker engine that answers: the one that is there, else one that is started, else one that is
 * installed and started. Where neither may be done here, the error says what to type.
 *
 * @param {(text: string) => void} [say]
 * @returns {Promise<{engine: import('./find.js').Engine, way: string}>}
 */
async function ensureEngine(say = () => undefined) {
  const there = await findEngine();
  if (there) return { engine: there, way: wayOf(there) };
  if (isElsewhere(process.env.DOCKER_HOST) || !canProvideEngine()) throw new SetupError(await whatToType());
  return withLock('engine', say, async () => {
    const meanwhile = await findEngine();
    if (meanwhile) return { engine: meanwhile, way: wayOf(meanwhile) };
    const { engine, way } = await provideEngine(say);
    return { engine, way: `${way}: ${wayOf(engine)}` };
  });
}

/**
 * @param {string | undefined} dockerHost
 * @returns {boolean}
 */
function isElsewhere(dockerHost) {
  return Boolean(dockerHost) && dockerHost !== DEFAULT_HOST;
}

/**
 * @param {import('./find.js').Engine} engine
 * @returns {string}
 */
function wayOf({ version, architecture, dockerHost, source }) {
  const warning = ageWarning(version);
  return `engine ${version} (${architecture}) at ${dockerHost}, ${source}${warning ? `; ${warning}` : ''}`;
}

/** @returns {Promise<string>} */
async function whatToType() {
  return (
    (await whyUnusable()) ?? `No Docker engine answers on this machine.\n${ADVICE[process.platform] ?? ADVICE.linux}`
  );
}

/** @type {Record<string, string>} */
const ADVICE = {
  linux: [
    'Type this, then log in again and repeat the command:',
    '  sudo apt-get install -y docker.io && sudo usermod -aG docker "$USER"    (Debian, Ubuntu)',
    '  sudo dnf install -y moby-engine && sudo systemctl enable --now docker && sudo usermod -aG docker "$USER"    (Fedora)',
    'or run the same command as root, which installs and starts an engine by itself on Debian and Ubuntu.',
  ].join('\n'),
  darwin: 'Start Docker Desktop or OrbStack, or type:  brew install colima docker && colima start',
  win32: 'Start Docker Desktop, or work inside WSL 2 with Ubuntu and run the same command there as root.',
};

module.exports = { ensureEngine };
