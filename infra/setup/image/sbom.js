'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { call } = require('../engine/api.js');
const { cacheFolder } = require('../root.js');
const { takeInventory } = require('./inventory.js');

/** What the image was built on, as `name@digest`; written by the build. */
const BASE_LABEL = 'io.hourglass.base';

/** @typedef {import('./inventory.js').Inventory} Inventory */
/** @typedef {{Id: string, RepoDigests?: string[] | null, Config: {Labels?: Record<string, string> | null}}} ImageFacts */

/**
 * Writes the software bill of materials of an image into the cache folder, in the format of CycloneDX 1.5, and
 * resolves with its place and the image's digest. One that is there for the same image stays.
 *
 * @param {string} dockerHost
 * @param {string} image
 * @returns {Promise<{sbom: string, digest: string}>}
 */
async function ensureSbom(dockerHost, image) {
  const facts = await inspectImage(dockerHost, image);
  const file = path.join(cacheFolder(), 'sbom', `${facts.Id.replace('sha256:', '').slice(0, 12)}.cdx.json`);
  if (!fs.existsSync(file)) {
    const document = createSbom(image, facts, await takeInventory(dockerHost, image));
    fs.mkdirSync(path.dirname(file), { recursive: true });
    // Renamed when it is whole: another set-up may look at the same time.
    const part = `${file}.${process.pid}`;
    fs.writeFileSync(part, `${JSON.stringify(document, null, 2)}\n`);
    fs.renameSync(part, file);
  }
  return { sbom: file, digest: facts.Id };
}

/**
 * @param {string} dockerHost
 * @param {string} image
 * @returns {Promise<ImageFacts>}
 */
async function inspectImage(dockerHost, image) {
  return JSON.parse(await call(dockerHost, { method: 'GET', path: `/images/${image}/json` }));
}

/**
 * The name of an image with the digest that a registry knows it by; of one made on this machine the engine's own.
 *
 * @param {string} dockerHost
 * @param {string} image
 * @returns {Promise<string>}
 */
async function digestedName(dockerHost, image) {
  const { Id, RepoDigests } = await inspectImage(dockerHost, image);
  return `${image}@${RepoDigests?.[0]?.split('@')[1] ?? Id}`;
}

/**
 * @param {string} image
 * @param {ImageFacts} facts
 * @param {Inventory} inventory
 */
function createSbom(image, facts, inventory) {
  const [name, version] = splitTag(image);
  const base = facts.Config.Labels?.[BASE_LABEL];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(facts.Id)}`,
    version: 1,
    metadata: {
      component: {
        type: 'container',
        'bom-ref': 'image',
        name,
        version,
        hashes: [{ alg: 'SHA-256', content: facts.Id.replace('sha256:', '') }],
        properties: base ? [{ name: BASE_LABEL, value: base }] : [],
      },
    },
    components: components(inventory),
  };
}

/** @param {Inventory} inventory */
function components({ distribution, node, debian, python, npm }) {
  const release = `distro=debian-${distribution}`;
  const found = [
    ...debian.map(({ name, version, architecture }) =>
      component(name, version, `pkg:deb/debian/${encode(name)}@${encode(version)}?arch=${architecture}&${release}`),
    ),
    ...python.map(({ name, version }) =>
      component(name, version, `pkg:pypi/${name.toLowerCase().replaceAll('_', '-')}@${encode(version)}`),
    ),
    ...npm.map(({ name, version }) =>
      component(name, version, `pkg:npm/${name.replace('@', '%40')}@${encode(version)}`),
    ),
    component('node', node.replace(/^v/, ''), `pkg:generic/node@${node.replace(/^v/, '')}`),
  ];
  // Two copies of one version in different folders are one component.
  return [...new Map(found.map((item) => [item.purl, item])).values()];
}

/**
 * @param {string} name
 * @param {string} version
 * @param {string} purl
 */
function component(name, version, purl) {
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

const encode = encodeURIComponent;

/**
 * @param {string} image
 * @returns {[string, string]}
 */
function splitTag(image) {
  const colon = image.lastIndexOf(':');
  return [image.slice(0, colon), image.slice(colon + 1)];
}

/** @param {string} text */
function uuidOf(text) {
  const hex = crypto.createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

module.exports = { ensureSbom, createSbom, digestedName, inspectImage, BASE_LABEL };
