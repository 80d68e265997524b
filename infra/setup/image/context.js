'use strict';

const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { SetupError } = require('../errors.js');
const { run, runNpm, together } = require('../processes.js');
const { filesBelow, guestFolder, imagesFolder, splitDockerfile } = require('./inputs.js');

/** @typedef {(text: string) => void} Say */

/**
 * Runs `work` with a fresh folder and removes the folder afterwards, also when the process ends before.
 *
 * @template T
 * @param {(folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withFolder(work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hourglass-image-'));
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/**
 * Fills a folder with all that the build of the dependencies needs. What npm brings is fetched here, with this
 * machine's npm and its settings, so that no package manager for JavaScript is needed in the image.
 *
 * @param {string} folder
 * @param {string} architecture x64 or arm64
 * @param {Say} say
 */
async function layOutDependencies(folder, architecture, say) {
  fs.writeFileSync(path.join(folder, 'Dockerfile'), splitDockerfile().dependencies);
  fs.copyFileSync(path.join(imagesFolder(), 'requirements.txt'), path.join(folder, 'requirements.txt'));
  fs.writeFileSync(path.join(folder, 'ca.pem'), hostCertificates());
  say('fetches Node and the JavaScript packages with npm');
  await together([
    fetchNode(folder, `node-linux-${architecture}`),
    installPackages(folder, 'javascript'),
    installPackages(folder, 'guest-javascript'),
  ]);
  // The user of the sandbox is another than the owner, whatever this machine's umask is.
  await run('chmod', ['-R', 'a+rX,go-w', folder]);
}

/**
 * Fills a folder with what the last stage needs: the guest, on top of an image that has everything else.
 *
 * @param {string} folder
 * @param {string} dependenciesImage
 */
function layOutGuest(folder, dependenciesImage) {
  const stage = splitDockerfile().guest.replace(/^FROM \S+/, `FROM ${dependenciesImage}`);
  fs.writeFileSync(path.join(folder, 'Dockerfile'), stage);
  fs.mkdirSync(path.join(folder, 'guest'));
  for (const file of filesBelow(guestFolder())) {
    const target = path.join(folder, 'guest', file);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.copyFileSync(path.join(guestFolder(), file), target);
  }
}

/**
 * The certificates that this machine trusts beyond the usual ones, as companies with an inspecting proxy need.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} certificates in PEM form, or nothing
 */
function hostCertificates(env = process.env) {
  const files = [env.SSL_CERT_FILE, env.PIP_CERT, env.NODE_EXTRA_CA_CERTS].filter(
    (file) => file && fs.existsSync(file),
  );
  const texts = files.map((file) => fs.readFileSync(String(file), 'utf8').trimEnd());
  return [...new Set(texts)].map((text) => `${text}\n`).join('');
}

/**
 * Puts the Node binary of the pinned package into the folder, after its content was compared with the lock file.
 *
 * @param {string} folder
 * @param {string} name
 */
async function fetchNode(folder, name) {
  const lockFile = path.join(imagesFolder(), 'node/package-lock.json');
  const pinned = JSON.parse(fs.readFileSync(lockFile, 'utf8')).packages[`node_modules/${name}`];
  if (!pinned) throw new SetupError(`There is no Node for this engine's architecture (${name}).`);
  await runNpm(['pack', `${name}@${pinned.version}`, '--ignore-scripts'], { cwd: folder });
  const archive = path.join(folder, `${name}-${pinned.version}.tgz`);
  const sum = `sha512-${crypto.createHash('sha512').update(fs.readFileSync(archive)).digest('base64')}`;
  if (sum !== pinned.integrity) throw new SetupError(`${name}@${pinned.version} is not what the lock file names.`);
  await run('tar', ['-xzf', archive, '-C', folder, 'package/bin/node']);
  fs.renameSync(path.join(folder, 'package/bin/node'), path.join(folder, 'node'));
  fs.rmSync(path.join(folder, 'package'), { recursive: true });
  fs.rmSync(archive);
}

/**
 * Installs a locked set of packages, without the files that only npm itself or a development tool reads.
 *
 * @param {string} folder
 * @param {string} name
 */
async function installPackages(folder, name) {
  const target = path.join(folder, name);
  fs.cpSync(path.join(imagesFolder(), name), target, { recursive: true });
  await runNpm(['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'], { cwd: target });
  for (const leftover of ['.bin', '.package-lock.json']) {
    fs.rmSync(path.join(target, 'node_modules', leftover), { recursive: true, force: true });
  }
}

/**
 * The folder as a tar stream, for the engine. Extended attributes of macOS stay out.
 *
 * @param {string} folder
 * @returns {import('node:stream').Readable}
 */
function packed(folder) {
  const env = { ...process.env, COPYFILE_DISABLE: '1' };
  const tar = spawn('tar', ['-cf', '-', '-C', folder, '.'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  tar.once('error', (error) => tar.stdout.destroy(error));
  tar.once('exit', (code) => code && tar.stdout.destroy(new Error(`tar ended with ${code}`)));
  return tar.stdout;
}

module.exports = { withFolder, layOutDependencies, layOutGuest, hostCertificates, packed };
