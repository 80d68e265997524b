import { existsSync } from 'node:fs';
import { HourglassError } from '../../contract';
import { candidates, connectionOptions, DEFAULT_HOST } from '../../../infra/setup/engine/endpoint.js';

/** Where an engine listens, as its client needs it. */
export interface Endpoint {
  /** In the form of DOCKER_HOST; for messages. */
  readonly dockerHost: string;
  readonly socketPath: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly protocol: 'http' | 'https';
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/**
 * The engine's endpoint: the configured one, else the first place where set-up looks that has a socket.
 *
 * Certificates are those of DOCKER_CERT_PATH, as for every Docker client. Throws HourglassError ENGINE_UNAVAILABLE
 * where the host has a form that nobody can talk to.
 */
export function resolveEndpoint(configured: string | undefined): Endpoint {
  const dockerHost = configured ?? firstSocket() ?? DEFAULT_HOST;
  const options = parse(dockerHost);
  const isLocal = options.socketPath !== undefined && options.socketPath !== null;
  return {
    dockerHost,
    socketPath: isLocal ? options.socketPath : undefined,
    host: isLocal ? undefined : (options.host ?? undefined),
    port: isLocal ? undefined : Number(options.port),
    protocol: options.protocol === 'https:' ? 'https' : 'http',
    ca: buffer(options.ca),
    cert: buffer(options.cert),
    key: buffer(options.key),
  };
}

function firstSocket(): string | undefined {
  return candidates().find(({ dockerHost }) => {
    const path = /^unix:\/\/(.+)$/.exec(dockerHost)?.[1];
    return path === undefined || existsSync(path);
  })?.dockerHost;
}

function parse(dockerHost: string): ReturnType<typeof connectionOptions> {
  try {
    return connectionOptions(dockerHost);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HourglassError('ENGINE_UNAVAILABLE', reason, {}, { cause: error });
  }
}

function buffer(value: unknown): Buffer | undefined {
  return Buffer.isBuffer(value) ? value : undefined;
}
