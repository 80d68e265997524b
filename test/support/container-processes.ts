import * as http from 'node:http';
import * as https from 'node:https';
import { json } from 'node:stream/consumers';
import { resolveEndpoint } from '../../src/engine/container/endpoint';

/** How many processes a running container has, as its engine counts them. */
export async function countProcesses(containerId: string): Promise<number> {
  const endpoint = resolveEndpoint(process.env['DOCKER_HOST']);
  const { request } = endpoint.protocol === 'https' ? https : http;
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request({ ...endpoint, protocol: `${endpoint.protocol}:`, path: `/containers/${containerId}/top` }, resolve)
      .on('error', reject)
      .end();
  });
  const { Processes } = (await json(response)) as { Processes: unknown[] };
  return Processes.length;
}
