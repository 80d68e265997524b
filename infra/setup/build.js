'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { checkoutLock, withLock } = require('./lock.js');
const { run } = require('./processes.js');
const { packageRoot } = require('./root.js');

/** @returns {string} */
const script = () => path.join(packageRoot(), 'infra/tooling/build.js');

/**
 * Whether this is a checkout, which compiles itself; an installed package comes compiled.
 *
 * @returns {boolean}
 */
function isCheckout() {
  return fs.existsSync(script());
}

/**
 * Resolves when lib/ is what the sources say.
 *
 * @param {(text: string) => void} [say]
 * @returns {Promise<{way: string}>}
 */
async function ensureBuild(say = () => undefined) {
  return withLock(checkoutLock('build'), say, async () => {
    say('compiles TypeScript and bundles the workflows');
    const output = await run(process.execPath, [script()], { cwd: packageRoot(), onLine: say });
    return { way: output.trim().split('\n').pop() ?? '' };
  });
}

module.exports = { ensureBuild, isCheckout };
