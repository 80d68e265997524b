'use strict';

const https = require('node:https');
const { URL } = require('node:url');

/** Where there is no way out, the first connection says so by silence. */
const CONNECT_MS = 5_000;
const SILENCE_MS = 20_000;
const MAX_REDIRECTS = 5;

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

module.exports = { get };
