import { setTimeout as delay } from 'node:timers/promises';
import type { HourglassConfig } from '../../config/config';
import { ensureStateDir } from '../../config/state-dir';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import { PortTaken, startDevServer, type DevServer, type DevServerOptions } from '../server';
import { findTemporalCli } from './find-cli';
import { answers } from './ports';
import { refusal, serves } from './probe';
import { serverLogFile } from './server-logs';

/** A Temporal server that a command uses, and what it has to do with it afterwards. */
export interface ServerInUse {
  readonly address: string;
  /** Base URL of its web interface; undefined where there is none. */
  readonly uiUrl: string | undefined;
  /** Whether this process started it; it ends with `stop` then. */
  readonly started: boolean;
  /** Resolves with the reason when a server that we started ends by itself. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** How a server is started where none is there. */
export type StartOptions = Pick<DevServerOptions, 'headless' | 'dbFile' | 'signal'> & {
  /** Told what is going on when it takes time. */
  readonly say?: (text: string) => void;
};

const LOCAL = '127.0.0.1:7233';
const PORT = 7233;
const UI_PORT = 8233;
const ATTEMPTS = 3;
const START_MS = 2_000;
const POLL_MS = 100;

/**
 * The server that is configured, else the one on this machine's usual port, else one that is started here.
 *
 * Rejects with CliError (69) where the configured server does not answer: another one is never taken in its place.
 */
export async function useTemporalServer(config: HourglassConfig, options: StartOptions = {}): Promise<ServerInUse> {
  const { address, namespace } = config.temporal;
  if (address !== undefined) return configured(config, address);
  for (let attempt = 1; ; attempt += 1) {
    // Whatever else listens on that port is left alone.
    if (await becomesUsable(LOCAL, namespace, options.signal)) return running(config, LOCAL);
    try {
      return await start(config, options);
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Another command may have started that server a moment ago: its port comes first, its namespace later. */
async function becomesUsable(address: string, namespace: string, signal: AbortSignal | undefined): Promise<boolean> {
  const deadline = Date.now() + START_MS;
  while (await answers(address)) {
    if (await serves(address, namespace)) return true;
    if (Date.now() > deadline) return false;
    await delay(POLL_MS, undefined, { signal });
  }
  return false;
}

/**
 * The server that is configured, else the one on this machine's usual port; never starts one.
 *
 * Rejects with CliError (69) that says what to do where none answers.
 */
export async function findTemporalServer(config: HourglassConfig): Promise<ServerInUse> {
  const { address, namespace } = config.temporal;
  if (address !== undefined) return configured(config, address);
  const reason = await refusal(LOCAL, namespace, config.temporal);
  if (reason === undefined) return running(config, LOCAL);
  throw new CliError(
    `No Temporal server answers at ${LOCAL} (${reason}); set TEMPORAL_ADDRESS, or try "hourglass dev"`,
    EXIT.UNAVAILABLE,
  );
}

async function configured(config: HourglassConfig, address: string): Promise<ServerInUse> {
  const reason = await refusal(address, config.temporal.namespace, config.temporal);
  if (reason === undefined) return running(config, address);
  const { namespace } = config.temporal;
  throw new CliError(
    `TEMPORAL_ADDRESS is ${address}, and namespace "${namespace}" cannot be used there: ${reason}`,
    EXIT.UNAVAILABLE,
  );
}

async function running(config: HourglassConfig, address: string): Promise<ServerInUse> {
  return {
    address,
    uiUrl: config.temporal.uiUrl ?? (await deriveUi(address)),
    started: false,
    lost: new Promise(() => undefined),
    stop: () => Promise.resolve(),
  };
}

/** Where the web interface is by convention, if it is there: a server may well run without one. */
async function deriveUi(address: string): Promise<string | undefined> {
  const { defaultUiUrl } = await import('../../execution-url.js');
  const url = defaultUiUrl(address);
  // One that is not on the server's own machine is a service of its own, and is there.
  if (new URL(url).protocol === 'https:') return url;
  return (await answers(new URL(url).host)) ? url : undefined;
}

async function start(config: HourglassConfig, { say, ...options }: StartOptions): Promise<ServerInUse> {
  await ensureStateDir(config.stateDir);
  const cliPath = config.temporal.cliPath ?? (await findTemporalCli(say));
  const server: DevServer = await startDevServer({
    ...options,
    cliPath,
    namespace: config.temporal.namespace,
    logFile: await serverLogFile(config.stateDir),
    ...(options.headless === true ? {} : { port: PORT, uiPort: UI_PORT }),
  });
  return { ...server, uiUrl: config.temporal.uiUrl ?? server.uiUrl, started: true };
}
