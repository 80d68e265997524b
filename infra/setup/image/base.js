'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { URLSearchParams } = require('node:url');
const { SetupError, messageOf } = require('../errors.js');
const { call, stream, EngineApiError } = require('../engine/api.js');
const { apt, isDebianFamily } = require('../engine/local.js');
const { run, which } = require('../processes.js');
const { withFolder } = require('./context.js');

const SUITE = 'bookworm';
const PULLED = { repository: 'debian', tag: `${SUITE}-slim` };
const MADE = { repository: 'hourglass/base', tag: SUITE };
/** A registry that is there says something within this time. */
const SILENCE_MS = 15_000;

/** @typedef {(text: string) => void} Say */
/** @typedef {{repository: string, tag: string}} Name */

/**
 * Resolves with the name of a Debian image in the engine: one that is there, else pulled, else, where no registry
 * answers, made from Debian's packages on this machine.
 *
 * @param {string} dockerHost
 * @param {Say} say
 * @returns {Promise<{image: string, way: string}>}
 */
async function ensureBase(dockerHost, say) {
  for (const name of [PULLED, MADE]) {
    if (await hasImage(dockerHost, full(name))) return { image: full(name), way: `${full(name)} was there` };
  }
  const refusal = await pull(dockerHost, PULLED, say);
  if (!refusal) return { image: full(PULLED), way: `pulled ${full(PULLED)}` };
  say(`no registry answers (${refusal}); makes the base from Debian packages`);
  await makeFromPackages(dockerHost, refusal, say);
  return { image: full(MADE), way: `made ${full(MADE)} from Debian packages, as no registry answers` };
}

/** @param {Name} name */
const full = ({ repository, tag }) => `${repository}:${tag}`;

/**
 * @param {string} dockerHost
 * @param {string} image
 * @returns {Promise<boolean>}
 */
async function hasImage(dockerHost, image) {
  try {
    await call(dockerHost, { method: 'GET', path: `/images/${image}/json` });
    return true;
  } catch (error) {
    if (error instanceof EngineApiError && error.status === 404) return false;
    throw error;
  }
}

/**
 * Pulls an image, for the engine's own architecture.
 *
 * @param {string} dockerHost
 * @param {Name} name
 * @param {Say} say
 * @returns {Promise<string | undefined>} why it could not be had
 */
async function pull(dockerHost, { repository, tag }, say) {
  say(`pulls ${repository}:${tag}`);
  const query = new URLSearchParams({ fromImage: repository, tag });
  const request = { method: 'POST', path: `/images/create?${query}`, silenceMs: SILENCE_MS };
  try {
    await stream(dockerHost, request, (message) => say(`pulls ${repository}:${tag}: ${message.status ?? ''}`));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * @param {string} dockerHost
 * @param {string} refusal
 * @param {Say} say
 */
async function makeFromPackages(dockerHost, refusal, say) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || (!which('mmdebstrap') && !isDebianFamily())) {
    throw new SetupError(
      `Cannot pull ${full(PULLED)} (${refusal}).\nMake a registry reachable for the engine, or load the image into it` +
        ' (docker load), or run this as root on Debian or Ubuntu, where the base is made from packages.',
    );
  }
  if (!which('mmdebstrap')) {
    await apt(['update'], say);
    await apt(['install', '-y', '--no-install-recommends', 'mmdebstrap', 'debian-archive-keyring'], say);
  }
  await withFolder(async (folder) => {
    const archive = path.join(folder, 'base.tar');
    await run('mmdebstrap', ['--variant=minbase', SUITE, archive], { onLine: say });
    await importArchive(dockerHost, archive);
  });
}

/**
 * @param {string} dockerHost
 * @param {string} archive
 */
async function importArchive(dockerHost, archive) {
  const query = new URLSearchParams({ fromSrc: '-', repo: MADE.repository, tag: MADE.tag });
  const headers = { 'Content-Type': 'application/x-tar', 'Content-Length': fs.statSync(archive).size };
  const body = fs.createReadStream(archive);
  await stream(dockerHost, { method: 'POST', path: `/images/create?${query}`, headers, body }, () => undefined);
}

module.exports = { ensureBase, hasImage, pull };
