import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listenError } from '../config';
import type { Log } from '../telemetry/log';
import type { Health, HealthReport } from './health';

/** Probes are few and short; more connections than this are turned away. */
const MAX_CONNECTIONS = 64;
const REQUEST_MS = 5_000;

/** The probes of a worker process over HTTP. */
export interface HealthServer {
  /** Stops to listen and closes what is open. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** Serves the probes at `address`; undefined where nobody asks for them. Rejects with ConfigError where it cannot be had. */
export async function openHealthServer(
  address: string | undefined,
  health: Health,
  log: Log,
): Promise<HealthServer | undefined> {
  if (address === undefined) return undefined;
  try {
    return await serveHealth(address, health, log);
  } catch (cause) {
    throw listenError('HOURGLASS_HEALTH_ADDRESS', address, cause);
  }
}

/**
 * Answers `GET /healthz` and `GET /readyz` at `IP:port`: 200 or 503, and what each part says as JSON.
 *
 * Rejects where the address cannot be listened at. Does not keep the process alive.
 */
export async function serveHealth(address: string, health: Health, log: Log): Promise<HealthServer> {
  const answers: Readonly<Record<string, () => HealthReport | Promise<HealthReport>>> = {
    '/healthz': () => health.live(),
    '/readyz': () => health.ready(),
  };
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    const answer = answers[pathOf(request)];
    if (answer === undefined) return send(response, 404, { paths: Object.keys(answers) });
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, { methods: ['GET', 'HEAD'] });
    Promise.resolve(answer()).then(
      (report) => send(response, report.status === 'ok' ? 200 : 503, report),
      (error: unknown) => {
        log.error({ error }, 'A probe could not be answered');
        send(response, 500, { status: 'failing' });
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, address);
  server.unref();
  return { close: () => close(server) };
}

/** Requests name a path; a query after it is ignored. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/\?.*$/s, '');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`);
}

async function listen(server: Server, address: string): Promise<void> {
  const { hostname, port } = new URL(`http://${address}`);
  server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ''));
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
