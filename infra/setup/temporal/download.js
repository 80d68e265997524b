'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { URL, URLSearchParams } = require('node:url');
const { get } = require('../https.js');
const { run } = require('../processes.js');

/** The service that Temporal's SDKs download their development server from. */
const SERVICE = 'https://temporal.download';

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

module.exports = { download, platformQuery };
