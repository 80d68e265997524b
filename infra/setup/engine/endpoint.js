'use strict';

const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { SetupError } = require('../errors.js');

const DEFAULT_SOCKET = '/var/run/docker.sock';
const DEFAULT_HOST = process.platform === 'win32' ? 'npipe:////./pipe/docker_engine' : `unix://${DEFAULT_SOCKET}`;

/**
 * @typedef {object} Endpoint
 * @property {string} dockerHost in the form of DOCKER_HOST
 * @property {string} source who named it, for people
 */

/**
 * The places where an engine may be, best first. DOCKER_HOST rules out every other: a person who set it does not
 * want programs to run somewhere else.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [home]
 * @returns {Endpoint[]}
 */
function candidates(env = process.env, home = os.homedir()) {
  if (env.DOCKER_HOST) return [{ dockerHost: env.DOCKER_HOST, source: 'DOCKER_HOST' }];
  const context = contextHost(env, home);
  const sockets = [
    ['the default socket', DEFAULT_SOCKET],
    ['Docker Desktop', path.join(home, '.docker/run/docker.sock')],
    ['colima', path.join(home, '.colima/default/docker.sock')],
    ['OrbStack', path.join(home, '.orbstack/run/docker.sock')],
    ['Rancher Desktop', path.join(home, '.rd/docker.sock')],
    ...(env.XDG_RUNTIME_DIR ? [['a rootless engine', path.join(env.XDG_RUNTIME_DIR, 'docker.sock')]] : []),
  ];
  const local = sockets.map(([source, file]) => ({ dockerHost: `unix://${file}`, source: String(source) }));
  if (process.platform === 'win32') local.unshift({ dockerHost: DEFAULT_HOST, source: 'the default pipe' });
  return context ? [context, ...local] : local;
}

/**
 * The engine of the current `docker context`, when that is not the default one.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} home
 * @returns {Endpoint | undefined}
 */
function contextHost(env, home) {
  const folder = env.DOCKER_CONFIG || path.join(home, '.docker');
  const name = env.DOCKER_CONTEXT || readJson(path.join(folder, 'config.json'))?.currentContext;
  if (!name || name === 'default') return undefined;
  const id = crypto.createHash('sha256').update(name).digest('hex');
  const host = readJson(path.join(folder, 'contexts/meta', id, 'meta.json'))?.Endpoints?.docker?.Host;
  return host ? { dockerHost: host, source: `docker context "${name}"` } : undefined;
}

/**
 * @param {string} file
 * @returns {any}
 */
function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Where a DOCKER_HOST points to, as options of an HTTP request.
 *
 * @param {string} dockerHost
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {import('node:https').RequestOptions}
 */
function connectionOptions(dockerHost, env = process.env) {
  const local = /^(?:unix|npipe):\/\/(.+)$/.exec(dockerHost);
  if (local) return { socketPath: local[1], host: 'localhost' };
  const url = parseUrl(dockerHost);
  const secure = url.protocol === 'https:' || Boolean(env.DOCKER_TLS_VERIFY);
  const port = Number(url.port) || (secure ? 2376 : 2375);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { protocol: secure ? 'https:' : 'http:', host, port, ...(secure ? certificates(env) : {}) };
}

/**
 * @param {string} dockerHost
 * @returns {URL}
 */
function parseUrl(dockerHost) {
  const url = URL.canParse(dockerHost) ? new URL(dockerHost) : undefined;
  if (url && ['tcp:', 'http:', 'https:'].includes(url.protocol)) return url;
  throw new SetupError(
    `Cannot talk to a Docker engine at "${dockerHost}": use unix://, tcp://, http:// or https:// in DOCKER_HOST` +
      ' (for ssh, forward the socket: ssh -L /tmp/docker.sock:/var/run/docker.sock HOST).',
  );
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ca?: Buffer, cert?: Buffer, key?: Buffer}}
 */
function certificates(env) {
  const folder = env.DOCKER_CERT_PATH || path.join(os.homedir(), '.docker');
  const read = (/** @type {string} */ name) => {
    const file = path.join(folder, name);
    return fs.existsSync(file) ? fs.readFileSync(file) : undefined;
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}

module.exports = { candidates, connectionOptions, DEFAULT_HOST, DEFAULT_SOCKET };
