'use strict';

/**
 * Compiles the TypeScript into lib/ and bundles the workflows for the worker. Does nothing when no input has changed
 * since the last build that succeeded; the last line says which.
 */

const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { bin } = require('../../package.json');

const ROOT = path.resolve(__dirname, '../..');
const LIB = path.join(ROOT, 'lib');
const STAMP = path.join(LIB, '.build.json');
const SOURCE_FOLDERS = ['src', 'workflows', 'activities', 'infra/setup'];
const OTHER_INPUTS = [
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  'infra/seccomp.json',
  'infra/tooling/build.js',
];
const WORKFLOWS = path.join(LIB, 'workflows/index.js');
const WORKFLOW_INTERCEPTORS = [path.join(LIB, 'workflows/trace-header.js')];
const BUNDLE = path.join(LIB, 'workflow-bundle.js');

async function main() {
  const started = Date.now();
  const inputs = hashInputs();
  const last = readStamp();
  if (isUnchanged(inputs, last)) return console.log('lib fits the sources');
  fs.rmSync(STAMP, { force: true });
  removeOutputsOfRemoved(inputs, last);
  compile();
  await bundle();
  fs.writeFileSync(STAMP, JSON.stringify(inputs));
  console.log(`compiled the sources and bundled the workflows in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * @typedef {Record<string, string>} Hashes by path of the input
 */

/** @returns {Hashes} */
function hashInputs() {
  const sources = SOURCE_FOLDERS.flatMap((folder) => sourcesBelow(folder));
  return Object.fromEntries([...sources, ...OTHER_INPUTS].map((file) => [file, hashOf(path.join(ROOT, file))]));
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function sourcesBelow(folder) {
  const names = fs.readdirSync(path.join(ROOT, folder), { recursive: true }).map(String);
  return names
    .filter((name) => /\.(ts|js|json)$/.test(name))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .filter((file) => !file.startsWith('src/runner/guest/'))
    .sort();
}

/**
 * @param {string} file
 * @returns {string}
 */
function hashOf(file) {
  return crypto.createHash('sha256').update(fs.readFileSync(file)).digest('hex').slice(0, 16);
}

/** @returns {Hashes} */
function readStamp() {
  try {
    return JSON.parse(fs.readFileSync(STAMP, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * @param {Hashes} inputs
 * @param {Hashes} last
 * @returns {boolean}
 */
function isUnchanged(inputs, last) {
  return JSON.stringify(inputs) === JSON.stringify(last) && fs.existsSync(BUNDLE);
}

/**
 * Removes what was compiled from sources that are gone, so that nothing imports it and nothing publishes it.
 *
 * @param {Hashes} inputs
 * @param {Hashes} last
 */
function removeOutputsOfRemoved(inputs, last) {
  for (const file of Object.keys(last).filter((name) => !(name in inputs))) {
    const stem = path.join(LIB, file.replace(/\.[tj]s$/, ''));
    for (const extension of ['.js', '.js.map', '.d.ts']) fs.rmSync(stem + extension, { force: true });
  }
}

function compile() {
  const tsc = require.resolve('typescript/bin/tsc', { paths: [ROOT] });
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  // The compiler writes no mode, and npm sets it where it links a package for the first time only.
  for (const program of Object.values(bin)) fs.chmodSync(path.join(ROOT, program), 0o755);
}

/** Bundles the workflows with the worker's own bundler, so that no worker spends its start on it. */
async function bundle() {
  const { bundleWorkflowCode, DefaultLogger } = require('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    workflowInterceptorModules: WORKFLOW_INTERCEPTORS,
    logger: new DefaultLogger('WARN'),
  });
  fs.writeFileSync(`${BUNDLE}.${process.pid}`, code);
  fs.renameSync(`${BUNDLE}.${process.pid}`, BUNDLE);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
