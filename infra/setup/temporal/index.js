'use strict';

const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { SetupError, messageOf } = require('../errors.js');
const { withLock } = require('../lock.js');
const { isExecutable, run, which } = require('../processes.js');
const { cacheFolder } = require('../root.js');
const { download } = require('./download.js');

/** The newest version that `go install` accepts; downloads are pinned to the same. */
const VERSION = 'v1.5.1';
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${VERSION}`;
const BINARY = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
const CONNECT_MS = 3_000;

/** @typedef {(text: string) => void} Say */
/** @typedef {{address: string} | {path: string}} TemporalServer a server that runs, or the program that starts one */

/**
 * Resolves with a Temporal server: the address of one that the user runs, else the path of the command that starts
 * a development server, which is fetched once a machine.
 *
 * @param {Say} [say]
 * @returns {Promise<TemporalServer & {way: string}>}
 */
async function ensureTemporalCli(say = () => undefined) {
  const there = await findTemporal();
  if (there) return there;
  return withLock('temporal-cli', say, async () => (await findTemporal()) ?? (await fetchTemporal(say)));
}

/**
 * What is there already, best first.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<(TemporalServer & {way: string}) | undefined>}
 */
async function findTemporal(env = process.env) {
  if (env.TEMPORAL_ADDRESS) return reached(env.TEMPORAL_ADDRESS);
  if (env.TEMPORAL_CLI_PATH) return named(env.TEMPORAL_CLI_PATH);
  const onPath = which(BINARY, env.PATH);
  if (onPath) return { path: onPath, way: `${onPath}, on the PATH` };
  const cached = cachedBinary();
  return isExecutable(cached) ? { path: cached, way: `${cached}, fetched earlier` } : undefined;
}

/** @returns {string} */
function cachedBinary() {
  return path.join(cacheFolder(), 'temporal-cli', VERSION, BINARY);
}

/** @param {string} address */
async function reached(address) {
  const refusal = await connect(address);
  if (!refusal) return { address, way: `the server at ${address}, named by TEMPORAL_ADDRESS` };
  throw new SetupError(
    `TEMPORAL_ADDRESS is ${address}, and nothing answers there (${refusal}).\n` +
      'Start that server, or unset TEMPORAL_ADDRESS to use one that is started here.',
  );
}

/** @param {string} file */
function named(file) {
  if (isExecutable(file)) return { path: file, way: `${file}, named by TEMPORAL_CLI_PATH` };
  throw new SetupError(`TEMPORAL_CLI_PATH is ${file}, which is not a program.`);
}

/**
 * @param {string} address host:port
 * @returns {Promise<string | undefined>} why there is no connection
 */
function connect(address) {
  const at = address.lastIndexOf(':');
  const host = at < 0 ? address : address.slice(0, at).replace(/^\[|\]$/g, '');
  const port = at < 0 ? 7233 : Number(address.slice(at + 1));
  if (!host || !Number.isInteger(port) || port < 1 || port > 65_535) return Promise.resolve('it is not HOST:PORT');
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout: CONNECT_MS });
    const end = (/** @type {string | undefined} */ refusal) => {
      socket.destroy();
      resolve(refusal);
    };
    socket.once('connect', () => end(undefined));
    socket.once('timeout', () => end(`no connection within ${CONNECT_MS} ms`));
    socket.on('error', (error) => end(messageOf(error)));
  });
}

/**
 * Downloads the command, or compiles it where the download is out of reach and Go is there. It is made beside its
 * place and renamed, so the cache never holds half a program.
 *
 * @param {Say} say
 * @returns {Promise<TemporalServer & {way: string}>}
 */
async function fetchTemporal(say) {
  const target = cachedBinary();
  const folder = path.join(path.dirname(target), `.fetch-${process.pid}`);
  fs.mkdirSync(folder, { recursive: true });
  try {
    const { file, way } = await downloadOrCompile(folder, say);
    fs.chmodSync(file, 0o755);
    fs.renameSync(file, target);
    return { path: target, way: `${way}, kept at ${target}` };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {Say} say
 * @returns {Promise<{file: string, way: string}>}
 */
async function downloadOrCompile(folder, say) {
  try {
    say(`asks Temporal's download service for ${VERSION}`);
    return { file: await download(VERSION, folder, say), way: `downloaded ${VERSION}` };
  } catch (error) {
    const go = which(process.platform === 'win32' ? 'go.exe' : 'go');
    if (!go) throw new SetupError(whatToType(messageOf(error)));
    say(`the download is out of reach (${messageOf(error)}); compiles ${VERSION} with Go, which takes some minutes`);
    await run(go, ['install', GO_PACKAGE], { env: { ...process.env, GOBIN: folder }, onLine: say });
    return { file: path.join(folder, BINARY), way: `compiled ${VERSION} with Go, as the download is out of reach` };
  }
}

/**
 * @param {string} reason
 * @returns {string}
 */
function whatToType(reason) {
  const install =
    process.platform === 'darwin' ? 'brew install temporal' : 'curl -sSf https://temporal.download/cli.sh | sh';
  return [
    `There is no Temporal server: the download of its command failed (${reason}), and Go is not there to compile it.`,
    `Do one of these and repeat the command:`,
    `  ${install}`,
    '  export TEMPORAL_CLI_PATH=/path/to/temporal     (the command, copied from another machine)',
    '  export TEMPORAL_ADDRESS=HOST:7233              (a server that runs already)',
  ].join('\n');
}

module.exports = { ensureTemporalCli, findTemporal };
