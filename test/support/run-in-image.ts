import { Readable } from 'node:stream';
import { call } from '../../infra/setup/engine/api.js';

/** What a Python program prints that runs in an image, as root or another user, in a container of its own that goes away with all it wrote. */
export async function runInImage(dockerHost: string, image: string, code: string, user = '0:0'): Promise<string> {
  const post = (path: string, body = {}): Promise<string> => {
    const text = JSON.stringify(body);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    return call(dockerHost, { method: 'POST', path, headers, body: Readable.from([text]) });
  };
  const Entrypoint = ['/opt/venv/bin/python3', '-I', '-B', '-c', code];
  const HostConfig = { NetworkMode: 'none', CapDrop: ['ALL'], LogConfig: { Type: 'json-file', Config: {} } };
  // A terminal's stream comes as it is, without frames.
  const made = await post('/containers/create', { Image: image, Entrypoint, User: user, Tty: true, HostConfig });
  const path = `/containers/${(JSON.parse(made) as { Id: string }).Id}`;
  try {
    await post(`${path}/start`);
    await post(`${path}/wait`);
    return await call(dockerHost, { method: 'GET', path: `${path}/logs?stdout=1&stderr=1` });
  } finally {
    await call(dockerHost, { method: 'DELETE', path: `${path}?force=1&v=1` });
  }
}
