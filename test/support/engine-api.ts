import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { resolveEndpoint } from '../../src/engine/container/endpoint';

/** The engine's answer to a GET, for what the product itself never asks. */
export async function askEngine<T>(path: string): Promise<T> {
  return JSON.parse(await readEngine(path)) as T;
}

/** The engine's answer to a GET as it came, for what is not one JSON value. */
export async function readEngine(path: string): Promise<string> {
  const endpoint = resolveEndpoint(process.env['DOCKER_HOST']);
  const { request } = endpoint.protocol === 'https' ? https : http;
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request({ ...endpoint, protocol: `${endpoint.protocol}:`, path }, resolve)
      .on('error', reject)
      .end();
  });
  return text(response);
}

/** Whether the engine's processes are processes of this machine, too. */
export function isEngineHere(): boolean {
  return process.platform === 'linux' && resolveEndpoint(process.env['DOCKER_HOST']).socketPath !== undefined;
}
