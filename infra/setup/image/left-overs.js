'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { URLSearchParams } = require('node:url');
const { call, EngineApiError } = require('../engine/api.js');
const { withLock } = require('../lock.js');
const { cacheFolder } = require('../root.js');
const { REPOSITORY, dependenciesImageTag, sandboxImageTag, splitDockerfile } = require('./inputs.js');
const { BASE_LABEL } = require('./sbom.js');

const IMAGE_LABEL = 'io.hourglass.image';
/** Builds name their images by hashes; every other tag was given by somebody. */
const BUILT_TAG = /^[0-9a-f]{12}$/;
/** Shorter commands could be anybody's. */
const TELLING_LENGTH = 80;
/** An engine takes its time to add up many images. */
const SILENCE_MS = 120_000;

/**
 * @typedef {object} OldImage
 * @property {string} name a tag, or the id of an image without one
 * @property {string} id
 * @property {string} reason
 * @property {number} bytes that nothing else uses
 */

/** @typedef {{image: OldImage, error: unknown}} UnremovedImage */
/** @typedef {{Id: string, RepoTags: string[] | null, Labels: Record<string, string> | null, Created: number}} Listed */

/**
 * @typedef {object} Search
 * @property {string} dockerHost
 * @property {readonly string[]} [keep] names of images that stay, beside those of this version
 * @property {number} olderThanMs younger ones stay: a build, or a worker that just starts, may need them
 * @property {string} [repository] of the images that set-up builds
 */

/**
 * Finds the images that set-up of earlier versions built, and what is left of its builds. Changes nothing.
 *
 * An image is found by its tag and its label together. It stays while a container uses it, running or not.
 *
 * @param {Search} search
 * @returns {Promise<OldImage[]>}
 */
async function findOldImages(search) {
  const { dockerHost, repository = REPOSITORY } = search;
  const [tagged, untagged, used, sizes] = await Promise.all([
    list(dockerHost, { reference: [repository, `${repository}-dependencies`] }),
    list(dockerHost, { dangling: ['true'] }),
    idsInUse(dockerHost),
    ownSizes(dockerHost),
  ]);
  const keep = new Set([sandboxImageTag(), sandboxImageTag({}), dependenciesImageTag(), ...(search.keep ?? [])]);
  const newest = Date.now() - search.olderThanMs;
  const isFree = (/** @type {Listed} */ { Id, Created }) => !used.has(Id) && Created * 1_000 <= newest;
  const old = tagged.filter(isFree).flatMap((image) =>
    builtTags(image, repository)
      .filter((name) => !keep.has(name))
      .map((name) => ({ name, id: image.Id, reason: 'of another version', bytes: sizes.get(image.Id) ?? 0 })),
  );
  const stages = [];
  for (const image of untagged.filter(isFree)) {
    const reason = await reasonOfUntagged(dockerHost, image);
    if (reason) stages.push({ name: image.Id, id: image.Id, reason, bytes: sizes.get(image.Id) ?? 0 });
  }
  return [...old, ...stages];
}

/**
 * Removes images that were found, and the lists of their contents. Never by force: one that a container began to use
 * meanwhile stays.
 *
 * @param {string} dockerHost
 * @param {readonly OldImage[]} images
 * @returns {Promise<{bytes: number, unremoved: UnremovedImage[]}>} `bytes`: what the engine's images take less
 */
async function removeOldImages(dockerHost, images) {
  if (images.length === 0) return { bytes: 0, unremoved: [] };
  // Not under a build that is just being made.
  return withLock(
    'image',
    () => undefined,
    async () => {
      const before = await layersSize(dockerHost);
      const unremoved = /** @type {UnremovedImage[]} */ ([]);
      for (const image of images) {
        try {
          await remove(dockerHost, image);
        } catch (error) {
          unremoved.push({ image, error });
        }
      }
      return { bytes: Math.max(0, before - (await layersSize(dockerHost))), unremoved };
    },
  );
}

/**
 * @param {string} dockerHost
 * @param {OldImage} image
 */
async function remove(dockerHost, { name, id }) {
  try {
    await call(dockerHost, { method: 'DELETE', path: `/images/${name}` });
  } catch (error) {
    if (!(error instanceof EngineApiError) || error.status !== 404) throw error;
  }
  fs.rmSync(path.join(cacheFolder(), 'sbom', `${id.replace('sha256:', '').slice(0, 12)}.cdx.json`), { force: true });
}

/**
 * The tags of an image that its build gave it. A tag alone proves nothing: anybody can give one.
 *
 * @param {Listed} image
 * @param {string} repository
 * @returns {string[]}
 */
function builtTags({ RepoTags, Labels }, repository) {
  return (RepoTags ?? []).filter((name) => {
    const [place, tag = ''] = name.split(/:(?=[^:/]*$)/);
    if (!BUILT_TAG.test(tag)) return false;
    if (place === repository) return Labels?.[IMAGE_LABEL] === tag;
    return place === `${repository}-dependencies` && Labels?.[BASE_LABEL] !== undefined;
  });
}

/**
 * @param {string} dockerHost
 * @param {Listed} image
 * @returns {Promise<string | undefined>} undefined for an image that is not ours
 */
async function reasonOfUntagged(dockerHost, { Id, Labels }) {
  if (Labels?.[IMAGE_LABEL] ?? Labels?.[BASE_LABEL]) return 'its name went to a later build';
  const history = JSON.parse(await call(dockerHost, { method: 'GET', path: `/images/${Id}/history` }));
  const made = oneLine(history[0]?.CreatedBy ?? '');
  return stageCommands().some((command) => made.endsWith(command)) ? 'a stage of a build' : undefined;
}

/**
 * The commands of the build as the engine writes them into the history of an image; only those that nobody else has.
 *
 * @param {string} [dockerfile]
 * @returns {string[]}
 */
function stageCommands(dockerfile = splitDockerfile().dependencies) {
  const lines = dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.startsWith('RUN '))
    .map((line) => oneLine(line.slice('RUN '.length)))
    .filter((command) => command.length >= TELLING_LENGTH);
}

/** @param {string} text */
const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

/**
 * @param {string} dockerHost
 * @param {Record<string, string[]>} filters
 * @returns {Promise<Listed[]>}
 */
async function list(dockerHost, filters) {
  const query = new URLSearchParams({ filters: JSON.stringify(filters) });
  return JSON.parse(await call(dockerHost, { method: 'GET', path: `/images/json?${query}` }));
}

/**
 * Ids of the images of all containers, running or not.
 *
 * @param {string} dockerHost
 * @returns {Promise<Set<string>>}
 */
async function idsInUse(dockerHost) {
  const containers = JSON.parse(await call(dockerHost, { method: 'GET', path: '/containers/json?all=1' }));
  return new Set(containers.map((/** @type {{ImageID: string}} */ { ImageID }) => ImageID));
}

/**
 * @param {string} dockerHost
 * @returns {Promise<{LayersSize: number, Images: {Id: string, Size: number, SharedSize: number}[] | null}>}
 */
async function usage(dockerHost) {
  return JSON.parse(await call(dockerHost, { method: 'GET', path: '/system/df', silenceMs: SILENCE_MS }));
}

/** @param {string} dockerHost */
const layersSize = async (dockerHost) => (await usage(dockerHost)).LayersSize;

/**
 * Bytes of each image that no other image shares.
 *
 * @param {string} dockerHost
 * @returns {Promise<Map<string, number>>}
 */
async function ownSizes(dockerHost) {
  const { Images } = await usage(dockerHost);
  return new Map((Images ?? []).map(({ Id, Size, SharedSize }) => [Id, Size - Math.max(0, SharedSize)]));
}

module.exports = { findOldImages, removeOldImages, stageCommands };
