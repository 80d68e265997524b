import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import type { HourglassConfig } from '../../config';
import { SILENT } from '../../telemetry/log';
import { createDiskWorkspaceStore } from '../../workspace/disk-store';
import { Cleanup } from '../cleanup';
import type { CommandContext } from '../command';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import { listenForInterrupts } from '../interrupt';
import { configuredLog } from '../local-worker';
import { prepareSandboxes } from '../prepare';
import { connect } from '../run/connect';
import { SILENT_OUTPUT } from '../run/live-output';
import { watch, type Sighting } from '../run/watch';
import { runBatch } from './batch';
import { batchIdOf, hashOf } from './batch-id';
import type { BatchLine } from './batch-line';
import type { BatchOptions } from './options';
import { InFlight } from './in-flight';
import { ProgressBar, type BatchCounts } from './progress';
import { readLines } from './read-lines';
import { openResults, type AnsweredLines, type OpenedResults } from './results-file';
import { throughEngine, throughTemporal, type RunRequest } from './runners';
import { SessionLines } from './session-lines';

const LOOK_MS = 2_000;

/** How requests are run, and what may end that. */
interface Way {
  readonly run: RunRequest;
  /** Rejects when what runs the requests is gone. */
  readonly failed: Promise<never>;
  /** Those that lines name. */
  readonly sessions?: SessionLines;
}

type Context = CommandContext<BatchOptions>;

/** `hourglass batch`: resolves with the exit code when every line has its result line; what it started has ended then. */
export async function runBatchFile(context: Context, input: string): Promise<number> {
  const { terminal, options } = context;
  checkReadable(input);
  checkApart(input, options.output);
  const config = await context.loadConfig();
  const { batchId, file, answered } = await begin(options.output, config.stateDir).catch((error: unknown) => {
    throw new CliError(`${options.output} cannot be used: ${messageOf(error)}`, EXIT.CANNOT_CREATE);
  });
  const counts: BatchCounts = { skipped: 0, results: 0, succeeded: 0, failures: 0, running: 0 };
  const cleanup = new Cleanup();
  cleanup.add(() => file.close());
  const interrupts = listenForInterrupts(() => terminal.err.line('\nCancelling; the same command goes on later.'));
  cleanup.add(() => interrupts.release());
  const { signal } = interrupts;
  try {
    const { total, hasSessions } = await survey(input);
    const open = options.direct === true ? openEngine : openTemporal(batchId, answered, hasSessions);
    const way = await open(context, config, signal, cleanup);
    const bar = new ProgressBar(terminal.err, counts, total);
    cleanup.add(() => bar.stop());
    bar.start();
    const job = {
      ...{ batchId, input, results: file, answered, counts, signal, run: way.run },
      onAnswered: ({ request }: BatchLine) => way.sessions?.noteAnswered(request),
      workspaces: createDiskWorkspaceStore(config.workspace),
      workspaceDir: config.workspace.dir,
      concurrency: options.concurrency ?? config.maxConcurrentExecutions,
      inlineBytes: options.inlineFiles,
    };
    await Promise.race([runBatch(job), way.failed]);
    bar.stop();
    if (way.sessions !== undefined) await endSessions(way.sessions, context, signal);
  } finally {
    await cleanup.run();
  }
  return report(context, counts, signal);
}

function report({ terminal, options }: Context, counts: BatchCounts, signal: AbortSignal): number {
  const { skipped, results, succeeded, failures } = counts;
  if (options.json)
    terminal.out.line(JSON.stringify({ skipped, results, succeeded, failures, output: options.output }));
  else {
    const before = skipped === 0 ? '' : `, ${skipped} answered before`;
    terminal.err.line(`${results} results (${succeeded} succeeded), ${failures} failures${before}: ${options.output}`);
  }
  if (signal.aborted) throw signal.reason;
  return failures === 0 ? EXIT.OK : EXIT.FAILED;
}

/** Closes what the batch has opened, but for a batch that is to go on later. */
async function endSessions(sessions: SessionLines, { terminal, options }: Context, signal: AbortSignal): Promise<void> {
  const say = (text: string): void => terminal.err.line(terminal.err.colors.dim(text));
  for (const { name, answered } of sessions.begunAnew)
    say(`session ${name} has begun anew: what its ${answered} lines answered before had left in it is gone`);
  const isKept = options.keepSessions === true || signal.aborted;
  const names = isKept ? sessions.names : await sessions.close();
  if (isKept && names.length > 0) say(`sessions that stay open: ${names.join(', ')}`);
}

async function openEngine(
  context: Context,
  config: HourglassConfig,
  signal: AbortSignal,
  cleanup: Cleanup,
): Promise<Way> {
  context.terminal.err.line('Engine: Docker alone, without Temporal');
  const { openWorkerHost } = await import('../../worker-host.js');
  const log = context.options.verbose === true ? configuredLog(config) : SILENT;
  const maxConcurrentExecutions = context.options.concurrency ?? config.maxConcurrentExecutions;
  // What is sent back into a queue needs one; nobody else is here to make room for.
  const alone = { ...config, maxConcurrentExecutions, maxRunningPerTenant: undefined };
  const host = await openWorkerHost(await prepareSandboxes(alone), { log, signal });
  cleanup.add(() => host.close(0));
  return { run: throughEngine(host), failed: new Promise(() => undefined) };
}

type Open = (context: Context, config: HourglassConfig, signal: AbortSignal, cleanup: Cleanup) => Promise<Way>;

const openTemporal =
  (batchId: string, answered: AnsweredLines, hasSessions: boolean): Open =>
  async (context, config, signal, cleanup) => {
    const needs = {
      config,
      purpose: 'batch',
      executionId: batchId,
      live: SILENT_OUTPUT,
      sharesQueue: hasSessions,
    } as const;
    const connected = await connect(context, { ...needs, startedServer: ' for this batch' }, signal, cleanup);
    const { connection, worker, taskQueue, client, failed } = connected;
    const inFlight = new InFlight();
    const watching = new AbortController();
    cleanup.add(() => watching.abort());
    const onSighting = (sighting: Sighting): Promise<void> => worker.onSighting(sighting);
    const { namespace } = config.temporal;
    void watch({ connection, namespace, which: () => inFlight.oldest, onSighting, everyMs: LOOK_MS }, watching.signal);
    const sessions = new SessionLines({ client, batchId, inFlight, answered });
    const run = throughTemporal(client, `${batchId}-${hashOf(taskQueue).slice(0, 4)}`, inFlight, sessions);
    return { run, sessions, failed };
  };

/** The results file to go on with, and the batch that it is of. */
async function begin(output: string, stateDir: string): Promise<{ batchId: string } & OpenedResults> {
  const batchId = batchIdOf(output, stateDir);
  return { batchId, ...(await openResults(output)) };
}

function checkApart(input: string, output: string): void {
  const isSame = existsSync(output) && realpathSync(input) === realpathSync(output);
  if (isSame) throw new CliError(`${output} is the file of the requests itself`, EXIT.CANNOT_CREATE);
}

function checkReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${messageOf(error)}`, EXIT.NO_INPUT);
  }
}

/** How many lines there are to answer, and whether one of them may be of a session. */
async function survey(path: string): Promise<{ total: number; hasSessions: boolean }> {
  let total = 0;
  let hasSessions = false;
  for await (const { text } of readLines(path)) {
    if (text?.trim() !== '') total += 1;
    hasSessions ||= text?.includes('"sessionId"') === true;
  }
  return { total, hasSessions };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
