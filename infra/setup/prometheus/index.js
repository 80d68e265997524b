'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pipeline } = require('node:stream/promises');
const { apt, isDebianFamily } = require('../engine/local.js');
const { SetupError, messageOf } = require('../errors.js');
const { get } = require('../https.js');
const { withLock } = require('../lock.js');
const { isExecutable, run, which } = require('../processes.js');
const { cacheFolder } = require('../root.js');

/** The release that is downloaded where no distribution offers one. */
const VERSION = '3.5.0';
const PROGRAMS = /** @type {const} */ (['prometheus', 'promtool']);

/** @typedef {(text: string) => void} Say */
/** @typedef {{prometheus: string, promtool: string}} Prometheus paths of the server and of its tool */

/**
 * Resolves with the programs of a Prometheus, which are fetched once a machine. Nothing is installed.
 *
 * @param {Say} [say]
 * @returns {Promise<Prometheus & {way: string}>}
 */
async function ensurePrometheus(say = () => undefined) {
  const there = findPrometheus();
  if (there) return there;
  return withLock('prometheus', say, async () => findPrometheus() ?? (await fetchPrometheus(say)));
}

/** @returns {(Prometheus & {way: string}) | undefined} */
function findPrometheus() {
  const [prometheus, promtool] = PROGRAMS.map((name) => which(name));
  if (prometheus && promtool) return { prometheus, promtool, way: `${prometheus}, on the PATH` };
  const cached = programsIn(cachedFolder());
  return isExecutable(cached.prometheus) ? { ...cached, way: `${cached.prometheus}, fetched earlier` } : undefined;
}

/** @returns {string} */
const cachedFolder = () => path.join(cacheFolder(), 'prometheus');

/**
 * @param {string} folder
 * @returns {Prometheus}
 */
function programsIn(folder) {
  return { prometheus: path.join(folder, 'prometheus'), promtool: path.join(folder, 'promtool') };
}

/**
 * Fetches into a folder beside the cache's and renames it, so that the cache never holds one program of the two.
 *
 * @param {Say} say
 * @returns {Promise<Prometheus & {way: string}>}
 */
async function fetchPrometheus(say) {
  const target = cachedFolder();
  const folder = `${target}.fetch-${process.pid}`;
  fs.mkdirSync(folder, { recursive: true });
  try {
    const { from, way } = await unpack(folder, say);
    fs.rmSync(target, { recursive: true, force: true });
    fs.mkdirSync(path.join(folder, 'done'));
    for (const name of PROGRAMS) fs.renameSync(path.join(from, name), path.join(folder, 'done', name));
    fs.renameSync(path.join(folder, 'done'), target);
    return { ...programsIn(target), way: `${way}, kept at ${target}` };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {Say} say
 * @returns {Promise<{from: string, way: string}>}
 */
async function unpack(folder, say) {
  const reasons = [];
  for (const way of [fromDistribution, fromRelease]) {
    try {
      return await way(folder, say);
    } catch (error) {
      reasons.push(messageOf(error));
    }
  }
  throw new SetupError(
    `There is no Prometheus, which the tests of the metrics need:\n${reasons.map((text) => `  ${text}`).join('\n')}\n` +
      'Put "prometheus" and "promtool" on the PATH and repeat the command.',
  );
}

/**
 * The distribution's package, unpacked and not installed: no service starts, and nobody has to be root.
 *
 * @param {string} folder
 * @param {Say} say
 */
async function fromDistribution(folder, say) {
  if (!isDebianFamily()) throw new SetupError('this is neither Debian nor Ubuntu');
  say("downloads the distribution's package");
  await aptDownload(folder).catch(async (error) => {
    if (process.getuid?.() !== 0) throw error;
    await apt(['update'], say);
    await aptDownload(folder);
  });
  const file = fs.readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (!file) throw new SetupError('apt-get left no package');
  await run('dpkg-deb', ['-x', path.join(folder, file), folder]);
  return { from: path.join(folder, 'usr/bin'), way: `unpacked ${file}` };
}

/** @param {string} folder */
async function aptDownload(folder) {
  await run('apt-get', ['download', 'prometheus'], { cwd: folder });
}

/**
 * The project's own release.
 *
 * @param {string} folder
 * @param {Say} say
 */
async function fromRelease(folder, say) {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `prometheus-${VERSION}.${process.platform}-${architecture}`;
  say(`downloads ${name}`);
  const archive = path.join(folder, 'archive.tar.gz');
  const url = `https://github.com/prometheus/prometheus/releases/download/v${VERSION}/${name}.tar.gz`;
  await pipeline(await get(url), fs.createWriteStream(archive));
  await run('tar', ['-xzf', archive, '-C', folder, ...PROGRAMS.map((program) => `${name}/${program}`)]);
  return { from: path.join(folder, name), way: `downloaded ${name}` };
}

module.exports = { ensurePrometheus };
