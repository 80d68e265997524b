'use strict';

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { transformSync } = require('@swc/core');
const { version } = require('@swc/core/package.json');

/** Compiled sources by hash of what they are made of: test processes are many, and start with the same files. */
const CACHE = path.resolve(__dirname, '../../node_modules/.cache/hourglass-tests');
/** @type {import('@swc/core').Options} */
const OPTIONS = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

/**
 * Lets a child process of a test run the sources as they are: `node -r typescript-loader.js file.ts`.
 *
 * @param {NodeJS.Module & { _compile(code: string, filename: string): void }} module
 * @param {string} filename
 */
function load(module, filename) {
  module._compile(compiled(fs.readFileSync(filename, 'utf8'), filename), filename);
}

/**
 * @param {string} source
 * @param {string} filename
 * @returns {string}
 */
function compiled(source, filename) {
  const made = createHash('sha256').update(`${version}\n${JSON.stringify(OPTIONS)}\n${filename}\n${source}`);
  const kept = path.join(CACHE, `${made.digest('hex').slice(0, 32)}.js`);
  if (fs.existsSync(kept)) return fs.readFileSync(kept, 'utf8');
  const { code } = transformSync(source, { ...OPTIONS, filename });
  fs.mkdirSync(CACHE, { recursive: true });
  fs.writeFileSync(`${kept}.${process.pid}`, code);
  fs.renameSync(`${kept}.${process.pid}`, kept);
  return code;
}

Object.assign(require.extensions, { '.ts': load });
