'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { packageRoot } = require('../root.js');

const REPOSITORY = 'hourglass/sandbox';
const HASH_LENGTH = 12;
/** What goes into the image besides the Dockerfile and the guest; paths below infra/images. */
const PACKAGE_FILES = [
  'requirements.txt',
  'javascript/package.json',
  'javascript/package-lock.json',
  'guest-javascript/package.json',
  'guest-javascript/package-lock.json',
  'node/package.json',
  'node/package-lock.json',
];

/** @returns {string} */
const imagesFolder = () => path.join(packageRoot(), 'infra/images');

/** @returns {string} */
const guestFolder = () => path.join(packageRoot(), 'src/runner/guest');

/**
 * The name and tag of the sandbox image that fits this version of the package: `CODE_SANDBOX_IMAGE` where it is
 * set, else a tag that is a hash of all that goes into the image. Reads files only; asks no engine.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 */
function sandboxImageTag(env = process.env) {
  return env.CODE_SANDBOX_IMAGE || `${REPOSITORY}:${sandboxHash()}`;
}

/** @returns {string} */
function sandboxHash() {
  const guest = filesBelow(guestFolder()).map((file) => contentOf(guestFolder(), file));
  return digest([dependenciesHash(), splitDockerfile().guest, ...guest.flat()]);
}

/**
 * The image with everything but the guest, by the hash of what goes into it.
 *
 * @returns {string}
 */
function dependenciesImageTag() {
  return `${REPOSITORY}-dependencies:${dependenciesHash()}`;
}

/** @returns {string} */
function dependenciesHash() {
  const files = PACKAGE_FILES.map((file) => contentOf(imagesFolder(), file));
  return digest([splitDockerfile().dependencies, ...files.flat()]);
}

/**
 * The Dockerfile in two: all stages but the last, and the last one, which adds the guest. The builder of old
 * engines cannot start at a stage in the middle, so each part is built on its own.
 *
 * @param {string} [text]
 * @returns {{dependencies: string, guest: string}}
 */
function splitDockerfile(text = fs.readFileSync(path.join(imagesFolder(), 'Dockerfile'), 'utf8')) {
  const at = text.lastIndexOf('\nFROM ') + 1;
  return { dependencies: text.slice(0, at), guest: text.slice(at) };
}

/**
 * All files of a folder, sorted, with `/` between folders on every system; without what tools leave behind.
 *
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder, { recursive: true, withFileTypes: false });
  return names
    .map((name) => String(name).split(path.sep).join('/'))
    .filter((name) => !/(^|\/)(__pycache__|node_modules|\.)/.test(name))
    .filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .sort();
}

/**
 * @param {string} folder
 * @param {string} file
 * @returns {[string, Buffer]}
 */
function contentOf(folder, file) {
  return [file, fs.readFileSync(path.join(folder, file))];
}

/**
 * A short hash of several parts; the length of each goes in, so that no two lists look the same.
 *
 * @param {(string | Buffer)[]} parts
 * @returns {string}
 */
function digest(parts) {
  const hash = crypto.createHash('sha256');
  for (const part of parts) {
    hash.update(`${Buffer.byteLength(part)}:`);
    hash.update(part);
  }
  return hash.digest('hex').slice(0, HASH_LENGTH);
}

module.exports = {
  sandboxImageTag,
  dependenciesImageTag,
  splitDockerfile,
  filesBelow,
  digest,
  imagesFolder,
  guestFolder,
  REPOSITORY,
};
