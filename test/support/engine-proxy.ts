import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { resolveEndpoint } from '../../src/engine/container/endpoint';

/** Stands between a worker and its engine, and can be taken away as an engine that stops. */
export class EngineProxy {
  readonly #sockets = new Set<Socket>();
  readonly #path: string;
  #server: Server | undefined;

  /** `folder`: where its socket lies. */
  constructor(folder: string) {
    this.#path = join(folder, 'engine.sock');
  }

  /** What a worker takes for its engine. */
  get dockerHost(): string {
    return `unix://${this.#path}`;
  }

  async start(): Promise<void> {
    const { socketPath, host, port } = resolveEndpoint(process.env['DOCKER_HOST']);
    const server = createServer((client) => {
      const engine = socketPath === undefined ? connect(Number(port), host) : connect(socketPath);
      client.pipe(engine).pipe(client);
      for (const [side, other] of [
        [client, engine],
        [engine, client],
      ] as const) {
        this.#sockets.add(side);
        side.on('error', () => undefined).once('close', () => this.#sockets.delete(side) && other.destroy());
      }
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#path, resolve));
  }

  /** Refuses connections from now on, and breaks those that are open. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
