'use strict';

const http = require('node:http');
const https = require('node:https');
const { pipeline } = require('node:stream/promises');
const { SetupError } = require('../errors.js');
const { connectionOptions } = require('./endpoint.js');

/**
 * @typedef {object} ApiRequest
 * @property {string} method
 * @property {string} path
 * @property {http.OutgoingHttpHeaders} [headers]
 * @property {NodeJS.ReadableStream} [body]
 * @property {number} [silenceMs] gives up after so long without a byte
 */

/**
 * Sends one request to a Docker engine and resolves with the response once its head is there. The engine is spoken
 * to over its HTTP API because a machine may have an engine without the docker command.
 *
 * @param {string} dockerHost
 * @param {ApiRequest} request
 * @returns {Promise<http.IncomingMessage>}
 */
function send(dockerHost, { method, path, headers, body, silenceMs }) {
  return new Promise((resolve, reject) => {
    // Node's shared agent would end a connection that is silent for 5 s, as a build often is.
    const options = { ...connectionOptions(dockerHost), method, path, headers, timeout: silenceMs, agent: false };
    const transport = options.protocol === 'https:' ? https : http;
    const request = transport.request(options, resolve);
    request.once('timeout', () => request.destroy(new Error(`no answer within ${silenceMs} ms`)));
    request.on('error', reject);
    if (body) pipeline(body, request).catch(reject);
    else request.end();
  });
}

/**
 * Sends a request and resolves with its body; an answer that is not a success rejects with the engine's own words.
 *
 * @param {string} dockerHost
 * @param {ApiRequest} request
 * @returns {Promise<string>}
 */
async function call(dockerHost, request) {
  return readAll(await open(dockerHost, request));
}

/** The engine answered, and said no. */
class EngineApiError extends SetupError {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(`The Docker engine answered ${status}: ${message}`);
    this.status = status;
  }
}

/**
 * Sends a request and resolves with its body as a stream; an answer that is not a success rejects with the engine's
 * own words.
 *
 * @param {string} dockerHost
 * @param {ApiRequest} request
 * @returns {Promise<http.IncomingMessage>}
 */
async function open(dockerHost, request) {
  const response = await send(dockerHost, request);
  const status = response.statusCode ?? 500;
  if (status < 300) return response;
  throw new EngineApiError(status, engineMessage(await readAll(response)));
}

/**
 * Sends a request whose answer is a stream of JSON messages, as builds, pulls and imports give, and hands on each
 * message. A message that carries an error rejects.
 *
 * @param {string} dockerHost
 * @param {ApiRequest} request
 * @param {(message: any) => void} onMessage
 * @returns {Promise<void>}
 */
async function stream(dockerHost, request, onMessage) {
  const response = await open(dockerHost, request);
  for await (const line of lines(response)) {
    const message = JSON.parse(line);
    if (message.error) throw new SetupError(String(message.error).trim());
    onMessage(message);
  }
}

/**
 * @param {NodeJS.ReadableStream} readable
 * @returns {AsyncGenerator<string>}
 */
async function* lines(readable) {
  let rest = '';
  readable.setEncoding('utf8');
  for await (const chunk of readable) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    yield* parts.filter((part) => part.trim());
  }
  if (rest.trim()) yield rest;
}

/**
 * @param {NodeJS.ReadableStream} readable
 * @returns {Promise<string>}
 */
async function readAll(readable) {
  let text = '';
  readable.setEncoding('utf8');
  for await (const chunk of readable) text += chunk;
  return text;
}

/**
 * @param {string} text
 * @returns {string}
 */
function engineMessage(text) {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text;
  }
}

module.exports = { call, open, stream, EngineApiError };
