'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const PACKAGE_NAME = 'hourglass-temporal';

/** @type {string | undefined} */
let found;

/**
 * The folder of this package: where its package.json is. This code runs from the checkout, from its compiled copy
 * below lib/ and from an installed package, so it walks up until it meets its own name.
 *
 * @returns {string}
 */
function packageRoot() {
  found ??= walkUp(__dirname);
  return found;
}

/**
 * @param {string} from
 * @returns {string}
 */
function walkUp(from) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    if (packageNameOf(folder) === PACKAGE_NAME) return folder;
    if (folder === path.dirname(folder)) throw new Error(`No ${PACKAGE_NAME} package above ${from}`);
  }
}

/**
 * @param {string} folder
 * @returns {string | undefined}
 */
function packageNameOf(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).name;
  } catch {
    return undefined;
  }
}

/**
 * Where set-up keeps what is costly to get and belongs to the machine rather than to one checkout.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 */
function cacheFolder(env = process.env) {
  if (env.HOURGLASS_CACHE_DIR) return path.resolve(env.HOURGLASS_CACHE_DIR);
  const base = env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return path.join(base, 'hourglass');
}

module.exports = { packageRoot, cacheFolder };
