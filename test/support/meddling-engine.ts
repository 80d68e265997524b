import { once } from 'node:events';
import * as http from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { resolveEndpoint } from '../../src/engine/container/endpoint';

/** A JSON object of the engine's API. */
export type Json = Record<string, unknown>;

/** What goes wrong between a worker and its engine; everything else passes unchanged. */
export interface Meddling {
  /** Changes what the engine says of itself. */
  readonly info?: (info: Json) => Json;
  /** Version of `runc` that the engine names. */
  readonly runc?: string;
  /** Changes what the engine is told about a container; an inspection shows what the worker asked for nevertheless. */
  readonly create?: (body: Json & { HostConfig: Json }) => Json;
  /** Changes what the engine says of an image. */
  readonly image?: (facts: Json) => Json;
  /** Answers orders to kill a container as if they had been carried out. */
  readonly swallowsKills?: boolean;
  /** Shows a container as it is, like an engine that drops what it cannot do and says so. */
  readonly showsTruth?: boolean;
}

interface Asked {
  readonly HostConfig: Json;
  readonly NetworkDisabled: boolean;
}

const withRunc =
  (version: string) =>
  (answer: Json): Json => ({ ...answer, Components: [{ Name: 'runc', Version: version }] });

/** The real engine at the other end of something that meddles. */
export class MeddlingEngine {
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();
  readonly #asked = new Map<string, Asked>();

  private constructor(private readonly meddling: Meddling) {
    this.#server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#server.on('connection', (socket) => this.#keep(socket));
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as Socket, head));
  }

  static async start(meddling: Meddling): Promise<MeddlingEngine> {
    const proxy = new MeddlingEngine(meddling);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get dockerHost(): string {
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server.close(), 'close');
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/^\/v[\d.]+/, '');
    const { info, image, create, swallowsKills, runc } = this.meddling;
    if (swallowsKills && /^\/containers\/[^/]+\/kill/.test(path)) return void response.writeHead(204).end();
    if (create !== undefined && path.startsWith('/containers/create')) return this.#create(request, response, create);
    const inspected = /^\/containers\/([^/]+)\/json$/.exec(path)?.[1];
    if (inspected !== undefined) return this.#answer(request, response, (facts) => this.#asAsked(inspected, facts));
    if (info !== undefined && path === '/info') return this.#answer(request, response, info);
    if (runc !== undefined && path === '/version') return this.#answer(request, response, withRunc(runc));
    if (image !== undefined && /^\/images\/.+\/json$/.test(path)) return this.#answer(request, response, image);
    const far = await this.#forward(request, request);
    response.writeHead(far.statusCode ?? 502, far.headers);
    far.pipe(response);
  }

  async #create(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    change: NonNullable<Meddling['create']>,
  ): Promise<void> {
    const asked = JSON.parse((await buffer(request)).toString()) as Json & Asked;
    const far = await this.#forward(request, Buffer.from(JSON.stringify(change(structuredClone(asked)))));
    const answer = await buffer(far);
    const { Id } = JSON.parse(answer.toString()) as { Id?: string };
    if (Id !== undefined) this.#asked.set(Id, asked);
    response.writeHead(far.statusCode ?? 502, far.headers).end(answer);
  }

  /** The container's facts with the isolation that the worker asked for. */
  #asAsked(id: string, facts: Json): Json {
    const asked = this.#asked.get(id);
    if (asked === undefined || this.meddling.showsTruth) return facts;
    const { HostConfig, NetworkDisabled } = asked;
    return { ...facts, HostConfig, Config: { ...(facts['Config'] as Json), NetworkDisabled } };
  }

  async #answer(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    change: (answer: Json) => Json,
  ): Promise<void> {
    const far = await this.#forward(request, request);
    const answer = await buffer(far);
    const changed = far.statusCode === 200 ? JSON.stringify(change(JSON.parse(answer.toString()) as Json)) : answer;
    response.writeHead(far.statusCode ?? 502, { 'Content-Type': 'application/json' }).end(changed);
  }

  async #forward(request: http.IncomingMessage, body: Buffer | http.IncomingMessage): Promise<http.IncomingMessage> {
    const { socketPath, host, port } = resolveEndpoint(process.env['DOCKER_HOST']);
    const headers = { ...request.headers, connection: 'close' };
    if (Buffer.isBuffer(body)) headers['content-length'] = String(body.length);
    const far = http.request({ socketPath, host, port, method: request.method, path: request.url, headers });
    const response = once(far, 'response') as Promise<[http.IncomingMessage]>;
    if (Buffer.isBuffer(body)) far.end(body);
    else body.pipe(far);
    return (await response)[0];
  }

  /** An attached stream is passed on byte by byte. */
  #upgrade({ method, url, rawHeaders }: http.IncomingMessage, near: Socket, head: Buffer): void {
    const { socketPath, host, port } = resolveEndpoint(process.env['DOCKER_HOST']);
    const far = this.#keep(connect({ path: socketPath ?? '', host, port }));
    const headers = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    // At once: the engine takes what arrives after the request's head for stdin.
    far.write(Buffer.concat([Buffer.from(`${method} ${url} HTTP/1.1\r\n${headers}\r\n`), head]));
    near.pipe(far).pipe(near);
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
