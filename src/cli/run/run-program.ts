import type { Connection } from '@temporalio/client';
import { createHourglassClient, type ExecutionHandle } from '../../client';
import type { HourglassConfig } from '../../config';
import { HourglassError, type ExecutionResult } from '../../contract';
import { Cleanup } from '../cleanup';
import type { CommandContext } from '../command';
import { CliError } from '../errors';
import { EXIT, exitCodeOfResult } from '../exit-codes';
import { listenForInterrupts } from '../interrupt';
import { neutralise } from '../output-filter';
import { connectTo } from '../temporal/probe';
import { useTemporalServer, type ServerInUse } from '../temporal/use-server';
import type { Workspace } from '../../workspace/workspace';
import { buildRequest, type PreparedRun } from './build-request';
import { createLiveOutput, SILENT_OUTPUT, type LiveOutput } from './live-output';
import type { RunOptions } from './options';
import { printReport } from './report';
import { copyOut, openWorkspace, stageInputs, unstageInputs } from './staging';
import { RunProgress } from './run-progress';
import { watchExecution, type Sighting } from './watch';
import { RunWorker } from './run-worker';

/** Everything one run goes through. */
interface Run {
  readonly context: CommandContext<RunOptions>;
  readonly config: HourglassConfig;
  readonly taskQueue: string;
  readonly prepared: PreparedRun;
  readonly server: ServerInUse;
  readonly connection: Connection;
  readonly workspace: Workspace;
  readonly worker: RunWorker;
  readonly live: LiveOutput;
  readonly progress: RunProgress;
  readonly signal: AbortSignal;
}

/** `hourglass run`: resolves with the exit code; everything it started has ended and staged files are gone then. */
export async function runProgram(context: CommandContext<RunOptions>, file: string | undefined): Promise<number> {
  const { err } = context.terminal;
  const prepared = await buildRequest(file, context.options);
  const cleanup = new Cleanup();
  const interrupts = listenForInterrupts(() => err.line('\nCancelling; again to leave at once.'));
  cleanup.add(() => interrupts.release());
  try {
    const run = await prepareRun(context, prepared, interrupts.signal, cleanup);
    const { result, handle } = await execute(run);
    return await present(run, result, handle);
  } finally {
    await cleanup.run();
  }
}

async function prepareRun(
  context: CommandContext<RunOptions>,
  prepared: PreparedRun,
  signal: AbortSignal,
  cleanup: Cleanup,
): Promise<Run> {
  const { terminal, options } = context;
  const say = (text: string): void => terminal.err.line(terminal.err.colors.dim(text));
  const configured = await context.loadConfig();
  const server = await useTemporalServer(configured, { headless: true, say, signal });
  cleanup.add(() => server.stop());
  if (server.started) say(`Temporal: started a server for this run ("hourglass dev" starts one that stays)`);
  const config = { ...configured, temporal: { ...configured.temporal, address: server.address } };
  const connection = await connectTo(server.address, config.temporal);
  cleanup.add(() => connection.close());
  const live = options.json ? SILENT_OUTPUT : createLiveOutput(prepared.request.executionId, terminal);
  const { executionId } = prepared.request;
  const worker = new RunWorker({
    config,
    executionId,
    purpose: 'run',
    connection,
    live,
    say,
    signal,
    verbose: options.verbose === true,
  });
  cleanup.add(() => worker.stop());
  const taskQueue = await worker.ensure(server.started);
  const workspace = await openWorkspace(config, prepared.request);
  // All inputs are there, or none and nothing to take away.
  await stageInputs(workspace, prepared.request.executionId, prepared.staged);
  cleanup.add(() => unstageInputs(workspace, prepared.staged));
  const progress = new RunProgress(terminal.err);
  return { context, config, taskQueue, prepared, server, connection, workspace, worker, live, progress, signal };
}

async function execute(run: Run): Promise<{ result: ExecutionResult; handle: ExecutionHandle }> {
  const { config, taskQueue, connection, server, worker, signal } = run;
  const { namespace } = config.temporal;
  signal.throwIfAborted();
  const client = await createHourglassClient({ connection, namespace, taskQueue, uiUrl: server.uiUrl });
  const handle = await client.start(run.prepared.request);
  const cancel = (): void => void handle.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const watching = new AbortController();
  const onSighting = (sighting: Sighting): Promise<void> => {
    run.progress.show(sighting.heartbeat?.progress);
    return worker.onSighting(sighting);
  };
  void watchExecution(connection, namespace, handle, onSighting, watching.signal);
  try {
    return { handle, result: await Promise.race([handle.result(), worker.failed, lostServer(server)]) };
  } catch (error) {
    throw explainUnshared(error, run);
  } finally {
    watching.abort();
    signal.removeEventListener('abort', cancel);
  }
}

/** A file that was just staged and that the worker does not find: the worker looks into another folder. */
function explainUnshared(error: unknown, { config, prepared }: Run): unknown {
  if (!(error instanceof HourglassError) || error.code !== 'INPUT_FILE_ERROR') return error;
  const staged = prepared.staged.some(({ workspacePath }) => workspacePath === error.details.path);
  if (!staged || !error.message.includes('does not exist')) return error;
  const advice = `the worker that runs uses another workspace than ${config.workspace.dir} (HOURGLASS_WORKSPACE_DIR)`;
  return new HourglassError(error.code, `${error.message}: ${advice}`, error.details, { cause: error });
}

async function lostServer({ lost }: ServerInUse): Promise<never> {
  throw new CliError(await lost, EXIT.UNAVAILABLE);
}

async function present(run: Run, result: ExecutionResult, handle: ExecutionHandle): Promise<number> {
  const { context, workspace, server, live } = run;
  const { terminal, options } = context;
  live.finish(result);
  const { outDir } = options;
  const copies = outDir === undefined ? { copied: [] } : await copyOut(workspace, result.savedFiles, outDir);
  if (options.json) {
    terminal.out.line(JSON.stringify(result));
  } else {
    const url = server.uiUrl === undefined ? undefined : handle.url;
    printReport(result, { locate: (path) => workspace.locate(path), url, copied: copies.copied }, terminal.err);
  }
  const exitCode = exitCodeOfResult(result);
  if (copies.fault === undefined) return exitCode;
  terminal.err.line(`${terminal.err.colors.red('hourglass: CANNOT_CREATE')}: ${neutralise(copies.fault)}`);
  return exitCode === EXIT.OK ? EXIT.CANNOT_CREATE : exitCode;
}
