import { createServer, connect, type AddressInfo } from 'node:net';

const HOST = '127.0.0.1';
const ANSWER_MS = 1_000;

/** The port, if nobody listens on it; else one that is free right now. 0 asks for any. */
export async function freePort(preferred = 0): Promise<number> {
  if (preferred !== 0 && (await answers(`${HOST}:${preferred}`))) return listenOnce(0);
  return (await listenOnce(preferred).catch(() => undefined)) ?? listenOnce(0);
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, HOST, () => {
      const taken = (server.address() as AddressInfo).port;
      server.close(() => resolve(taken));
    });
  });
}

/** Whether something accepts connections at `host:port`. */
export function answers(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), timeout: ANSWER_MS });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.on('error', () => end(false));
  });
}
