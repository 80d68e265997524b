'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Readable } = require('node:stream');
const { SetupError } = require('../errors.js');
const { call } = require('../engine/api.js');
const { imagesFolder } = require('./inputs.js');

/**
 * @typedef {object} Inventory what an image holds, as it says itself
 * @property {string} distribution code name of the Debian release
 * @property {string} node
 * @property {{name: string, version: string, architecture: string}[]} debian
 * @property {{name: string, version: string}[]} python
 * @property {{name: string, version: string}[]} npm
 * @property {string[]} setId files with a set-user-id or set-group-id bit
 */

/**
 * Runs the inventory in a container of the image, which no program of a user has run in, and resolves with it.
 *
 * @param {string} dockerHost
 * @param {string} image
 * @returns {Promise<Inventory>}
 */
async function takeInventory(dockerHost, image) {
  const script = fs.readFileSync(path.join(imagesFolder(), 'inventory.py'), 'utf8');
  const { Id } = JSON.parse(await post(dockerHost, '/containers/create', containerFor(image, script)));
  try {
    await post(dockerHost, `/containers/${Id}/start`);
    const { StatusCode } = JSON.parse(await post(dockerHost, `/containers/${Id}/wait`));
    const told = await call(dockerHost, { method: 'GET', path: `/containers/${Id}/logs?stdout=1&stderr=1` });
    if (StatusCode !== 0) throw new SetupError(`The content of ${image} could not be listed: ${told.slice(-500)}`);
    return JSON.parse(told);
  } finally {
    await call(dockerHost, { method: 'DELETE', path: `/containers/${Id}?force=1&v=1` });
  }
}

/**
 * @param {string} image
 * @param {string} script
 */
function containerFor(image, script) {
  return {
    Image: image,
    Entrypoint: ['/opt/venv/bin/python3', '-I', '-c', script],
    User: '10001:10001',
    // A terminal's stream comes as it is, without frames.
    Tty: true,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      LogConfig: { Type: 'json-file', Config: {} },
    },
  };
}

/**
 * @param {string} dockerHost
 * @param {string} path
 * @param {object} [body]
 */
function post(dockerHost, path, body) {
  const text = JSON.stringify(body ?? {});
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  return call(dockerHost, { method: 'POST', path, headers, body: Readable.from([text]) });
}

module.exports = { takeInventory };
