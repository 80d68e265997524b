'use strict';

const { Readable } = require('node:stream');
const { open, stream } = require('../setup/engine/api.js');

const MIB = 2 ** 20;

/**
 * Copies an image from one engine into another, without a file between them.
 *
 * @param {{image: string, from: string, to: string}} what the image, and the DOCKER_HOST of each engine
 * @param {(text: string) => void} say
 */
async function carryImage({ image, from, to }, say) {
  const archive = await open(from, { method: 'GET', path: `/images/${image}/get` });
  const body = Readable.from(counted(archive, (bytes) => say(`carries ${image}: ${Math.floor(bytes / MIB)} MiB`)));
  const headers = { 'Content-Type': 'application/x-tar' };
  await stream(to, { method: 'POST', path: '/images/load?quiet=1', headers, body }, () => undefined);
}

/**
 * @param {AsyncIterable<Buffer>} chunks
 * @param {(bytes: number) => void} onBytes hears how much has gone through
 * @returns {AsyncGenerator<Buffer>}
 */
async function* counted(chunks, onBytes) {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    onBytes(bytes);
    yield chunk;
  }
}

module.exports = { carryImage };
