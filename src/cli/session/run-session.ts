import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { sessionWorkflowIdOf, type SessionOptions } from '../../contract';
import { Cleanup } from '../cleanup';
import { endedBySignal } from '../errors';
import { EXIT } from '../exit-codes';
import { listenForInterrupts } from '../interrupt';
import { connect } from '../run/connect';
import { RunProgress } from '../run/run-progress';
import { CallRunner } from './call-runner';
import { chooseSession, sessionOptionsOf } from './choose-session';
import { CurrentOutput } from './current-output';
import { SessionDirectory } from './directory';
import { explainEnd } from './explain';
import { sayFarewell } from './farewell';
import { History } from './history';
import { readPiped, runPiped, type PipedProgram } from './piped';
import { Prompt } from './prompt';
import { PromptInput } from './prompt-input';
import type { SessionContext, SessionWork } from './session-work';

/** Where somebody types. */
export interface SessionStreams {
  readonly input: Readable;
  /** Where the prompt is shown. */
  readonly output: Writable;
  /** False: all of stdin is one program. */
  readonly isInteractive: boolean;
}

/**
 * `hourglass session NAME`: resolves with the exit code; what was started here has ended then, and the session goes on.
 *
 * Rejects with HourglassError SESSION_LOST or SESSION_CLOSED where its state is gone.
 */
export async function runSession(context: SessionContext, name: string, streams = streamsOfProcess()): Promise<number> {
  const { err } = context.terminal;
  const options = sessionOptionsOf(name, context.options);
  const piped = streams.isInteractive ? undefined : await readPiped();
  const cleanup = new Cleanup();
  const interrupts = listenForInterrupts(() => err.line('\nCancelling; again to leave at once.'));
  cleanup.add(() => interrupts.release());
  try {
    const work = await prepare(context, options, interrupts.signal, cleanup);
    return piped === undefined ? await prompt(work, streams, cleanup) : await pipe(work, piped);
  } catch (error) {
    throw endedBySignal(explainEnd(error, options), interrupts.signal);
  } finally {
    await cleanup.run();
  }
}

/** The prompt is shown where a terminal is, be it that of stderr. */
function streamsOfProcess(): SessionStreams {
  const { stdin, stdout, stderr } = process;
  const output = stdout.isTTY ? stdout : stderr;
  return { input: stdin, output, isInteractive: stdin.isTTY && output.isTTY };
}

async function prepare(
  context: SessionContext,
  options: SessionOptions,
  signal: AbortSignal,
  cleanup: Cleanup,
): Promise<SessionWork> {
  const { terminal } = context;
  const config = await context.loadConfig();
  const live = new CurrentOutput(terminal, context.options.json !== true);
  const startedServer = ', and the session ends with this command';
  const needs = { config, purpose: 'session', executionId: options.sessionId, live, sharesQueue: true } as const;
  const connected = await connect(context, { ...needs, startedServer }, signal, cleanup);
  const directory = new SessionDirectory(connected.connection, config.temporal.namespace);
  if (connected.worker.isLocal) await directory.leaveToAnyWorker(sessionWorkflowIdOf(options));
  const chosen = await chooseSession(options, context.options.language, directory);
  const session = connected.client.session(chosen.options);
  const runner = new CallRunner({
    ...{ connected, session, live, progress: new RunProgress(terminal.err) },
    callsBefore: chosen.status?.calls ?? 0,
    say: (text) => terminal.err.line(terminal.err.colors.yellow(text)),
  });
  const { resourceLimits } = options;
  const { timeout } = context.options;
  const request = { ...(resourceLimits && { resourceLimits }), ...(timeout === undefined ? {} : { timeout }) };
  return { context, connected, directory, chosen, session, runner, request, signal };
}

async function prompt(work: SessionWork, { input, output }: SessionStreams, cleanup: Cleanup): Promise<number> {
  const { context, connected, directory, chosen, session, runner, request, signal } = work;
  const { terminal } = context;
  const history = History.open(join(connected.config.stateDir, `session-history-${chosen.options.language}`));
  const lines = new PromptInput({ input, output }, history);
  cleanup.add(() => lines.close());
  greet(work);
  const dots = { session, directory, runner, out: terminal.out };
  const after = await new Prompt({
    ...{ input: lines, output, terminal, runner, dots, request, signal },
    options: chosen.options,
    json: context.options.json === true,
    failed: connected.failed,
  }).run();
  if (after === 'left') await leave(work);
  return EXIT.OK;
}

function greet({ context, chosen: { options, status } }: SessionWork): void {
  const { err } = context.terminal;
  const age = status === undefined ? 'new' : `${status.calls} ${status.calls === 1 ? 'call' : 'calls'} so far`;
  if (status?.phase === 'busy')
    err.line(err.colors.yellow('a program of somebody runs in it: yours begins when that has ended'));
  err.line(
    err.colors.dim(`session ${options.sessionId}: ${options.language}, ${age}; .help lists commands, Ctrl-D leaves`),
  );
}

async function pipe(work: SessionWork, piped: PipedProgram): Promise<number> {
  const exitCode = await runPiped(work, piped);
  await leave(work);
  return exitCode;
}

async function leave(work: SessionWork): Promise<void> {
  const { context, chosen, session } = work;
  const isThere = session.hasAnswered || chosen.status !== undefined;
  if (isThere && context.options.json !== true) await sayFarewell(work, context.terminal.err);
}
