import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './errors';
import { EXIT } from './exit-codes';
import { startInBackground, type BackgroundChild } from './temporal/child';
import { answers, freePort } from './temporal/ports';
import { serves } from './temporal/probe';

/** How to start a development server. */
export interface DevServerOptions {
  /** The Temporal CLI binary. */
  readonly cliPath: string;
  /** Where the server's own output goes; `{port}` is replaced. Removed when the server is stopped. */
  readonly logFile: string;
  /** Registered at the start. Default: `default`. */
  readonly namespace?: string;
  /** Used when free, else another; 0 for any. Default: 0. */
  readonly port?: number;
  readonly uiPort?: number;
  /** Without the web interface. */
  readonly headless?: boolean;
  /** Keeps its data in this file; in memory otherwise. */
  readonly dbFile?: string | undefined;
  /** More arguments of `temporal server start-dev`. */
  readonly args?: readonly string[];
  readonly signal?: AbortSignal;
}

/** A running development server. */
export interface DevServer {
  /** `host:port` */
  readonly address: string;
  /** Base URL of its web interface; undefined for a headless one. */
  readonly uiUrl: string | undefined;
  readonly pid: number | undefined;
  /** Resolves with the reason when the server ends without having been stopped. */
  readonly lost: Promise<string>;
  /** Ends the server; resolves when it is gone. Idempotent. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
/**
 * Without the first, keys of fairness do nothing, and one tenant's backlog is everybody's wait. A server is fair within
 * each partition of a task queue: who polls rarely would meet another tenant's many times first.
 */
export const FAIR_MATCHING = [
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
];
const READY_MS = 60_000;
const POLL_MS = 50;
const TAIL_CHARS = 2_048;
// Between finding a port free and the server taking it another program may be faster.
const ATTEMPTS = 3;
const PORT_TAKEN = /address already in use/i;
// What `temporal server start-dev` prints once it has its ports.
const STARTED = /^(temporal )?server:/im;
// A CLI that says it in other words is believed when it has lived this long beside a server that answers.
const BELIEVED_MS = 10_000;

/** Another program was faster at the port. */
export class PortTaken extends CliError {}

/**
 * Starts a Temporal development server and resolves when it serves the namespace.
 *
 * It ends with this process, however that ends. Rejects with CliError (69) that shows the end of the server's log (with
 * PortTaken where a port that was asked for is lost to somebody meanwhile), or with the signal's reason; nothing is left
 * then.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      const mayTryAgain = error instanceof PortTaken && !options.port && !options.uiPort;
      if (!mayTryAgain || attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(options: DevServerOptions): Promise<DevServer> {
  options.signal?.throwIfAborted();
  const { headless = false, namespace = 'default' } = options;
  const port = await freePort(options.port);
  const uiPort = headless ? undefined : await freePort(options.uiPort);
  const logFile = options.logFile.replace('{port}', String(port));
  const child = startInBackground(options.cliPath, serverArguments(options, port, uiPort), logFile);
  const address = `${HOST}:${port}`;
  try {
    await ready(child, { address, uiPort, namespace, signal: options.signal });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return describe(child, address, uiPort);
}

function serverArguments(options: DevServerOptions, port: number, uiPort: number | undefined): string[] {
  const { namespace = 'default', dbFile, args = [] } = options;
  return [
    ...['server', 'start-dev', '--ip', HOST, '--port', String(port), '--namespace', namespace],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...FAIR_MATCHING.flatMap((setting) => ['--dynamic-config-value', setting]),
    ...(dbFile === undefined ? [] : ['--db-filename', dbFile]),
    ...args,
  ];
}

interface Readiness {
  readonly address: string;
  readonly uiPort: number | undefined;
  readonly namespace: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Resolves when the namespace answers, and it is this child that serves it: where two start at the same moment, the one
 * that loses the port sees the other's server answer before it ends. A listening port alone says nothing either: the
 * namespace comes later.
 */
async function ready(child: BackgroundChild, { address, uiPort, namespace, signal }: Readiness): Promise<void> {
  const began = Date.now();
  const deadline = began + READY_MS;
  let ended: string | undefined;
  void child.ended.then(({ exitCode, signal: by, error }) => {
    ended = error?.message ?? `it exited with ${exitCode ?? by}`;
  });
  for (;;) {
    signal?.throwIfAborted();
    if (ended !== undefined) throw failed(ended, child);
    if (Date.now() > deadline) throw failed(`it did not answer within ${READY_MS / 1_000} s`, child);
    const says = STARTED.test(child.log()) || Date.now() - began > BELIEVED_MS;
    const uiUp = says && (uiPort === undefined || (await answers(`${HOST}:${uiPort}`)));
    if (uiUp && (await answers(address)) && (await serves(address, namespace))) return;
    await delay(POLL_MS);
  }
}

function failed(reason: string, child: BackgroundChild): CliError {
  const message = `The Temporal server could not be started: ${reason}`;
  if (PORT_TAKEN.test(child.log())) return new PortTaken(`${message}: its port was taken`, EXIT.UNAVAILABLE);
  return new CliError(`${message}\n${lastLines(child)}`, EXIT.UNAVAILABLE);
}

function lastLines(child: BackgroundChild): string {
  return child.log().slice(-TAIL_CHARS).trim();
}

function describe(child: BackgroundChild, address: string, uiPort: number | undefined): DevServer {
  let stopping = false;
  return {
    address,
    uiUrl: uiPort === undefined ? undefined : `http://${HOST}:${uiPort}`,
    pid: child.pid,
    lost: new Promise((resolve) => {
      void child.ended.then((end) => {
        if (!stopping) resolve(`the Temporal server ended with ${end.exitCode ?? end.signal}: ${lastLines(child)}`);
      });
    }),
    stop: () => {
      stopping = true;
      return child.stop();
    },
  };
}
