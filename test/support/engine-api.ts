import * as http from 'node:http';
import * as https from 'node:https';
import { json } from 'node:stream/consumers';
import { resolveEndpoint } from '../../src/engine/container/endpoint';

/** The engine's answer to a GET, for what the product itself never asks. */
export async function askEngine<T>(path: string): Promise<T> {
  const endpoint = resolveEndpoint(process.env['DOCKER_HOST']);
  const { request } = endpoint.protocol === 'https' ? https : http;
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request({ ...endpoint, protocol: `${endpoint.protocol}:`, path }, resolve)
      .on('error', reject)
      .end();
  });
  return (await json(response)) as T;
}
