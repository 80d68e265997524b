'use strict';

const { URLSearchParams } = require('node:url');
const { SetupError } = require('../errors.js');
const { stream } = require('../engine/api.js');
const { withLock } = require('../lock.js');
const { together } = require('../processes.js');
const { ensureBase, hasImage, pull } = require('./base.js');
const { layOutDependencies, layOutGuest, packed, withFolder } = require('./context.js');
const { dependenciesImageTag, sandboxImageTag } = require('./inputs.js');
const { BASE_LABEL, digestedName, ensureSbom, inspectImage } = require('./sbom.js');

/** Settings of this machine's package managers that a build may need; those that are unset are not passed. */
const PASSED_ON = [
  ...['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_TRUSTED_HOST', 'PIP_DEFAULT_TIMEOUT'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

/** @typedef {(text: string) => void} Say */
/** @typedef {import('../engine/find.js').Engine} Engine */

/**
 * Resolves when the sandbox image of this version is in the engine; it is built only when it is missing there. What
 * is in it is listed in an SBOM beside it. An image that the operator names is used as it is, and pulled where it is
 * missing.
 *
 * @param {Engine} engine
 * @param {Say} [say]
 * @returns {Promise<{image: string, way: string, sbom?: string, digest?: string}>}
 */
async function ensureImage(engine, say = () => undefined) {
  const image = sandboxImageTag();
  if (process.env.CODE_SANDBOX_IMAGE) return ensureForeign(engine, image, say);
  const own = await ensureOwn(engine, image, say);
  const { sbom, digest } = await ensureSbom(engine.dockerHost, own.image);
  return { ...own, way: `${own.way}; its content is listed in ${sbom}`, sbom, digest };
}

/**
 * @param {Engine} engine
 * @param {string} image
 * @param {Say} say
 * @returns {Promise<{image: string, way: string}>}
 */
async function ensureOwn(engine, image, say) {
  const there = { image, way: `${image} is there, built from these files` };
  if (await hasImage(engine.dockerHost, image)) return there;
  return withLock('image', say, async () => {
    if (await hasImage(engine.dockerHost, image)) return there;
    const way = await ensureDependencies(engine, say);
    const built = await buildGuest(engine, say);
    return { image: built, way: `built ${built}; ${way}` };
  });
}

/**
 * @param {Engine} engine
 * @param {string} image
 * @param {Say} say
 */
async function ensureForeign({ dockerHost }, image, say) {
  if (await hasImage(dockerHost, image)) return { image, way: `${image} is there, named by CODE_SANDBOX_IMAGE` };
  const colon = image.lastIndexOf(':');
  const hasTag = colon > image.lastIndexOf('/');
  const name = { repository: hasTag ? image.slice(0, colon) : image, tag: hasTag ? image.slice(colon + 1) : 'latest' };
  const refusal = await pull(dockerHost, name, say);
  if (refusal)
    throw new SetupError(
      `CODE_SANDBOX_IMAGE is ${image}: the engine does not have it and cannot pull it (${refusal}).`,
    );
  return { image, way: `pulled ${image}, named by CODE_SANDBOX_IMAGE` };
}

/**
 * @param {Engine} engine
 * @param {Say} say
 * @returns {Promise<string>} the way it took
 */
async function ensureDependencies({ dockerHost, architecture }, say) {
  const image = dependenciesImageTag();
  if (await hasImage(dockerHost, image)) return 'its packages were there';
  return withFolder(async (folder) => {
    const [base] = await together([ensureBase(dockerHost, say), layOutDependencies(folder, architecture, say)]);
    const labels = { [BASE_LABEL]: await digestedName(dockerHost, base.image) };
    await build(dockerHost, folder, { image, labels, buildArgs: { BASE_IMAGE: base.image, ...passedOn() } }, say);
    return `base: ${base.way}`;
  });
}

/**
 * Builds the last stage. A file may be edited at any moment, so the name is that of what was copied: where it is
 * another after the copy than before, the copy is made again.
 *
 * @param {Engine} engine
 * @param {Say} say
 * @returns {Promise<string>} the image
 */
async function buildGuest(engine, say) {
  const built = await withFolder(async (folder) => {
    const image = sandboxImageTag();
    layOutGuest(folder, dependenciesImageTag());
    if (sandboxImageTag() !== image) return undefined;
    const labels = {
      'io.hourglass.image': image.slice(image.lastIndexOf(':') + 1),
      // By its digest: the packages of this image are those of that one.
      'io.hourglass.dependencies': (await inspectImage(engine.dockerHost, dependenciesImageTag())).Id,
    };
    await build(engine.dockerHost, folder, { image, labels }, say);
    return image;
  });
  return built ?? buildGuest(engine, say);
}

/** @returns {Record<string, string>} */
function passedOn() {
  /** @type {Record<string, string>} */
  const settings = {};
  for (const name of PASSED_ON) {
    const value = process.env[name];
    if (value) settings[name] = value;
  }
  return settings;
}

/**
 * Builds a folder into an image. The build uses the network of the engine's machine: names and proxies that work
 * there work in the build.
 *
 * @param {string} dockerHost
 * @param {string} folder
 * @param {{image: string, buildArgs?: Record<string, string>, labels?: Record<string, string>}} what
 * @param {Say} say
 */
async function build(dockerHost, folder, { image, buildArgs = {}, labels = {} }, say) {
  const query = new URLSearchParams({
    t: image,
    networkmode: 'host',
    forcerm: '1',
    buildargs: JSON.stringify(buildArgs),
    labels: JSON.stringify(labels),
  });
  const output = /** @type {string[]} */ ([]);
  const request = {
    method: 'POST',
    path: `/build?${query}`,
    headers: { 'Content-Type': 'application/x-tar' },
    body: packed(folder),
  };
  try {
    await stream(dockerHost, request, (message) => keep(output, message, say));
  } catch (error) {
    throw new SetupError(`The build of ${image} failed: ${String(error)}\n${output.slice(-15).join('\n')}`);
  }
}

/**
 * @param {string[]} output
 * @param {{stream?: string}} message
 * @param {Say} say
 */
function keep(output, message, say) {
  const text = message.stream?.trim();
  if (!text) return;
  output.push(...text.split('\n'));
  if (text.startsWith('Step ')) say(`builds: ${text.split('\n')[0]}`);
}

module.exports = { ensureImage };
