import { randomUUID } from 'node:crypto';
import type { SessionRequest } from '../../client';
import type { ExecutionResult } from '../../contract';
import { exitCodeOfResult } from '../exit-codes';
import { readProgram, type StagedInput } from '../run/build-request';
import { printReport } from '../run/report';
import { openWorkspace, stageInputs, unstageInputs } from '../run/staging';
import type { Workspace } from '../../workspace/workspace';
import { printFacts } from './print-call';
import type { SessionWork } from './session-work';

/** A program that came by stdin. */
export interface PipedProgram {
  readonly executionId: string;
  readonly request: SessionRequest;
  /** What has to be in the workspace for it. */
  readonly staged: readonly StagedInput[];
}

/** Reads all of stdin. */
export async function readPiped(): Promise<PipedProgram> {
  const executionId = randomUUID();
  const { fields, staged } = await readProgram('-', `cli/${executionId}`);
  return { executionId, request: fields, staged };
}

/** Runs it in the session, prints what came of it as `hourglass run` does, and resolves with the exit code. */
export async function runPiped(work: SessionWork, { executionId, request, staged }: PipedProgram): Promise<number> {
  const { context, connected, chosen, runner, signal } = work;
  const { language, workspaceId, userId } = chosen.options;
  const workspace = await openWorkspace(connected.config, { language, workspaceId, userId });
  try {
    await stageInputs(workspace, executionId, staged);
    signal.throwIfAborted();
    const result = await runner.run({ ...work.request, ...request, executionId }, signal);
    if (context.options.json) context.terminal.out.line(JSON.stringify(result));
    else report(work, result, workspace);
    return exitCodeOfResult(result);
  } finally {
    await unstageInputs(workspace, staged);
  }
}

function report({ context, connected, session }: SessionWork, result: ExecutionResult, workspace: Workspace): void {
  const { client, server } = connected;
  const url = server.uiUrl === undefined ? undefined : client.executionUrl(session.workflowId);
  const { err } = context.terminal;
  printReport(result, { locate: (path) => workspace.locate(path), url, copied: [] }, err);
  printFacts(result, err);
}
