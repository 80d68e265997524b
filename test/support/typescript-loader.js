'use strict';

const { transformFileSync } = require('@swc/core');

/**
 * Lets a child process of a test run the sources as they are: `node -r typescript-loader.js file.ts`.
 *
 * @param {NodeJS.Module & { _compile(code: string, filename: string): void }} module
 * @param {string} filename
 */
function load(module, filename) {
  const { code } = transformFileSync(filename, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  });
  module._compile(code, filename);
}

Object.assign(require.extensions, { '.ts': load });
