'use strict';

const { SetupError, messageOf } = require('../errors.js');
const { call } = require('./api.js');
const { candidates, DEFAULT_HOST } = require('./endpoint.js');

const PING_MS = 3_000;
const OLDEST = [20, 10];

/**
 * @typedef {object} Engine
 * @property {string} dockerHost
 * @property {string} source who named this engine, for people
 * @property {string} version
 * @property {string} architecture as Node names it: x64 or arm64
 * @property {boolean} isDefault whether every Docker client finds it without DOCKER_HOST
 */

/**
 * The first engine that answers, or undefined. Only an answer counts: a client or a socket file proves nothing.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<Engine | undefined>}
 */
async function findEngine(env = process.env) {
  const pings = candidates(env).map(async (endpoint) => ({ endpoint, error: await ping(endpoint.dockerHost) }));
  for (const pending of pings) {
    const { endpoint, error } = await pending;
    if (!error) return describe(endpoint);
  }
  return undefined;
}

/**
 * Why an engine that should be there cannot be used and what to do about it, where it is more than absent.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string | undefined>}
 */
async function whyUnusable(env = process.env) {
  for (const { dockerHost, source } of candidates(env)) {
    const error = await ping(dockerHost);
    if (source === 'DOCKER_HOST')
      return `DOCKER_HOST is ${dockerHost}, and no engine answers there (${messageOf(error)}).\nStart that engine, or unset DOCKER_HOST to use a local one.`;
    if (/** @type {NodeJS.ErrnoException | undefined} */ (error)?.code === 'EACCES') {
      return `There is an engine at ${dockerHost}, but this user may not use it.\nType:  sudo usermod -aG docker "$USER"   and log in again.`;
    }
  }
  return undefined;
}

/**
 * @param {string} dockerHost
 * @returns {Promise<Error | undefined>} why it does not answer
 */
async function ping(dockerHost) {
  try {
    await call(dockerHost, { method: 'GET', path: '/_ping', silenceMs: PING_MS });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * @param {import('./endpoint.js').Endpoint} endpoint
 * @returns {Promise<Engine>}
 */
async function describe({ dockerHost, source }) {
  const answer = JSON.parse(await call(dockerHost, { method: 'GET', path: '/version', silenceMs: PING_MS }));
  if (answer.Os !== 'linux')
    throw new SetupError(`The engine at ${dockerHost} runs ${answer.Os} containers; Linux ones are needed.`);
  const architecture = answer.Arch === 'amd64' ? 'x64' : answer.Arch;
  return { dockerHost, source, version: answer.Version, architecture, isDefault: dockerHost === DEFAULT_HOST };
}

/**
 * A warning about an engine that works but is older than what the security promises were tested with.
 *
 * @param {string} version
 * @returns {string | undefined}
 */
function ageWarning(version) {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const tooOld = major < Number(OLDEST[0]) || (major === OLDEST[0] && minor < Number(OLDEST[1]));
  return tooOld
    ? `warning: engine ${version} is older than ${OLDEST.join('.')}, the oldest that is supported`
    : undefined;
}

module.exports = { findEngine, whyUnusable, ageWarning };
