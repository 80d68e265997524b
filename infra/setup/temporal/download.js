'use strict';

const fs = require('node:fs');
const https = require('node:https');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { URL, URLSearchParams } = require('node:url');
const { run } = require('../processes.js');

/** The service that Temporal's SDKs download their development server from. */
const SERVICE = 'https://temporal.download';
/** Where there is no way out, the first connection says so by silence. */
const CONNECT_MS = 5_000;
const SILENCE_MS = 20_000;
const MAX_REDIRECTS = 5;

/**
 * Puts the Temporal command line of one version into `folder` and resolves with its path there.
 *
 * @param {string} version
 * @param {string} folder
 * @param {(text: string) => void} say
 * @returns {Promise<string>}
 */
async function download(version, folder, say) {
  const info = JSON.parse(await text(`${SERVICE}/cli/${version}?${platformQuery()}`));
  say(`downloads ${new URL(info.archiveUrl).pathname.split('/').pop()}`);
  const archive = path.join(folder, 'archive.tar.gz');
  await pipeline(await get(info.archiveUrl), fs.createWriteStream(archive));
  await run('tar', ['-xzf', archive, '-C', folder, info.fileToExtract]);
  return path.join(folder, info.fileToExtract);
}

/**
 * @param {string} [platform]
 * @param {string} [architecture]
 * @returns {URLSearchParams}
 */
function platformQuery(platform = process.platform, architecture = process.arch) {
  return new URLSearchParams({
    platform: platform === 'win32' ? 'windows' : platform,
    arch: architecture === 'x64' ? 'amd64' : architecture,
    format: 'tar.gz',
  });
}

/**
 * @param {string} url
 * @returns {Promise<string>}
 */
async function text(url) {
  let all = '';
  for await (const chunk of await get(url)) all += chunk;
  return all;
}

/**
 * A GET that follows redirects to other HTTPS addresses. It gives up soon where nothing answers.
 *
 * @param {string} url
 * @param {number} [redirects]
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
async function get(url, redirects = 0) {
  const response = await open(url);
  const status = response.statusCode ?? 0;
  if (status === 200) return response;
  response.resume();
  const next = response.headers.location;
  if (status >= 300 && status < 400 && next && redirects < MAX_REDIRECTS) {
    return get(new URL(next, url).href, redirects + 1);
  }
  throw new Error(`${new URL(url).host} answered ${status}`);
}

/**
 * @param {string} url
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
function open(url) {
  return new Promise((resolve, reject) => {
    const request = https.get(url, { agent: false, timeout: SILENCE_MS }, resolve);
    const connecting = setTimeout(
      () => request.destroy(new Error(`no connection within ${CONNECT_MS} ms`)),
      CONNECT_MS,
    );
    request.on('socket', (socket) => socket.once('secureConnect', () => clearTimeout(connecting)));
    request.on('close', () => clearTimeout(connecting));
    request.on('timeout', () => request.destroy(new Error(`no answer within ${SILENCE_MS} ms`)));
    request.on('error', reject);
  });
}

module.exports = { download, platformQuery };
