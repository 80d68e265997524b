import type { ExecutionHandle } from '../../client';
import { HourglassError, type ExecutionResult } from '../../contract';
import { Cleanup } from '../cleanup';
import type { CommandContext } from '../command';
import { endedBySignal } from '../errors';
import { EXIT, exitCodeOfResult } from '../exit-codes';
import { listenForInterrupts } from '../interrupt';
import { neutralise } from '../output-filter';
import type { Workspace } from '../../workspace/workspace';
import { buildRequest, type PreparedRun } from './build-request';
import { connect, type Connected } from './connect';
import { createLiveOutput, SILENT_OUTPUT, type LiveOutput } from './live-output';
import type { RunOptions } from './options';
import { printReport } from './report';
import { copyOut, openWorkspace, stageInputs, unstageInputs } from './staging';
import { RunProgress } from './run-progress';
import { watch, type Sighting } from './watch';

/** Everything one run goes through. */
interface Run {
  readonly context: CommandContext<RunOptions>;
  readonly connected: Connected;
  readonly prepared: PreparedRun;
  readonly workspace: Workspace;
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
  const { executionId } = prepared.request;
  const config = await context.loadConfig();
  const live = options.json ? SILENT_OUTPUT : createLiveOutput(executionId, terminal);
  const needs = { config, purpose: 'run', executionId, live, startedServer: ' for this run' } as const;
  const connected = await connect(context, needs, signal, cleanup);
  const workspace = await openWorkspace(config, prepared.request);
  // All inputs are there, or none and nothing to take away.
  await stageInputs(workspace, executionId, prepared.staged);
  cleanup.add(() => unstageInputs(workspace, prepared.staged));
  const progress = new RunProgress(terminal.err);
  return { context, connected, prepared, workspace, live, progress, signal };
}

async function execute(run: Run): Promise<{ result: ExecutionResult; handle: ExecutionHandle }> {
  const { connected, signal } = run;
  const { config, connection, worker, client, failed } = connected;
  signal.throwIfAborted();
  const handle = await client.start(run.prepared.request);
  const cancel = (): void => void handle.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const watching = new AbortController();
  const onSighting = (sighting: Sighting): Promise<void> => {
    run.progress.show(sighting.heartbeat?.progress);
    return worker.onSighting(sighting);
  };
  void watch({ connection, namespace: config.temporal.namespace, which: () => handle, onSighting }, watching.signal);
  try {
    return { handle, result: await Promise.race([handle.result(), failed]) };
  } catch (error) {
    throw endedBySignal(explainUnshared(error, run), signal);
  } finally {
    watching.abort();
    signal.removeEventListener('abort', cancel);
  }
}

/** A file that was just staged and that the worker does not find: the worker looks into another folder. */
function explainUnshared(error: unknown, { connected, prepared }: Run): unknown {
  if (!(error instanceof HourglassError) || error.code !== 'INPUT_FILE_ERROR') return error;
  const staged = prepared.staged.some(({ workspacePath }) => workspacePath === error.details.path);
  if (!staged || !error.message.includes('does not exist')) return error;
  const advice = `the worker that runs uses another workspace than ${connected.config.workspace.dir} (HOURGLASS_WORKSPACE_DIR)`;
  return new HourglassError(error.code, `${error.message}: ${advice}`, error.details, { cause: error });
}

async function present(run: Run, result: ExecutionResult, handle: ExecutionHandle): Promise<number> {
  const { context, connected, workspace, live } = run;
  const { terminal, options } = context;
  live.finish(result);
  const { outDir } = options;
  const copies = outDir === undefined ? { copied: [] } : await copyOut(workspace, result.savedFiles, outDir);
  if (options.json) {
    terminal.out.line(JSON.stringify(result));
  } else {
    const url = connected.server.uiUrl === undefined ? undefined : handle.url;
    printReport(result, { locate: (path) => workspace.locate(path), url, copied: copies.copied }, terminal.err);
  }
  const exitCode = exitCodeOfResult(result);
  if (copies.fault === undefined) return exitCode;
  terminal.err.line(`${terminal.err.colors.red('hourglass: CANNOT_CREATE')}: ${neutralise(copies.fault)}`);
  return exitCode === EXIT.OK ? EXIT.CANNOT_CREATE : exitCode;
}
