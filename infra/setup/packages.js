'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { checkoutLock, withLock } = require('./lock.js');
const { runNpm } = require('./processes.js');
const { packageRoot } = require('./root.js');

/** @typedef {Record<string, {version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, peer?: boolean, link?: boolean}>} Packages */

/**
 * Resolves when node_modules holds what package-lock.json names; `npm ci` runs only when it does not.
 *
 * @param {(text: string) => void} [say]
 * @returns {Promise<{way: string}>}
 */
async function ensurePackages(say = () => undefined) {
  if (areInstalled()) return { way: 'node_modules fits the lock file' };
  return withLock(checkoutLock('packages'), say, async () => {
    if (areInstalled()) return { way: 'node_modules fits the lock file' };
    const way = fs.existsSync(path.join(packageRoot(), 'node_modules'))
      ? 'node_modules did not fit the lock file'
      : 'no node_modules';
    say('npm ci');
    await runNpm(['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: packageRoot(), onLine: say });
    return { way: `npm ci: ${way}` };
  });
}

/** @returns {boolean} */
function areInstalled() {
  const wanted = packagesOf(path.join(packageRoot(), 'package-lock.json'));
  const installed = packagesOf(path.join(packageRoot(), 'node_modules/.package-lock.json'));
  return Boolean(wanted && installed && fits(wanted, installed));
}

/**
 * @param {string} file
 * @returns {Packages | undefined}
 */
function packagesOf(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Whether npm's own record of what it installed agrees with the lock file: every package that is not optional on
 * this platform is there, and what is there has the locked version and content.
 *
 * @param {Packages} wanted
 * @param {Packages} installed
 * @returns {boolean}
 */
function fits(wanted, installed) {
  return Object.entries(wanted).every(([name, lock]) => {
    if (name === '' || lock.link) return true;
    const there = installed[name];
    if (!there) return Boolean(lock.optional || lock.devOptional || lock.peer);
    return there.version === lock.version && there.integrity === lock.integrity;
  });
}

module.exports = { ensurePackages, fits };
