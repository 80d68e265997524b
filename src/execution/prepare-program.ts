import { buffer } from 'node:stream/consumers';
import { BOUNDS, HourglassError, type InputFile, type ResolvedLimits, type ValidRequest } from '../contract';
import type { Program, StagedFile } from '../runner/program';
import type { Workspace } from '../workspace/workspace';

/** A request's program without what it needs to start: it has started. */
export function programOf(
  request: Pick<ValidRequest, 'language' | 'saveFigures'>,
  executionId: string,
  limits: ResolvedLimits,
): Program {
  return {
    executionId,
    language: request.language,
    code: '',
    inputJson: '{}',
    stdin: undefined,
    files: [],
    timeoutMs: limits.timeout,
    memoryMb: limits.memoryMb,
    diskMb: limits.diskMb,
    maxOutputBytes: limits.maxOutputBytes,
    saveFigures: request.saveFigures ?? true,
  };
}

/** A request's program with its input files found; their bytes are read when they are sent. */
export async function prepareProgram(
  request: ValidRequest,
  executionId: string,
  limits: ResolvedLimits,
  workspace: Workspace,
): Promise<Program> {
  const code = request.code ?? (await readCode(request.codeFile ?? '', workspace));
  const files: StagedFile[] = [];
  for (const file of request.inputFiles ?? []) files.push(await findInput(file, workspace));
  const inputJson = JSON.stringify(request.inputData ?? {});
  return { ...programOf(request, executionId, limits), code, inputJson, stdin: request.stdin, files };
}

async function readCode(path: string, workspace: Workspace): Promise<string> {
  const file = await workspace.open(path);
  try {
    if (file.size > BOUNDS.codeFileBytes) {
      throw inputError(path, `has ${file.size} bytes, a program may have ${BOUNDS.codeFileBytes}`);
    }
    return decode(path, await buffer(file.stream()));
  } finally {
    await file.close();
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw inputError(path, 'is not UTF-8 text');
  }
}

async function findInput(input: InputFile, workspace: Workspace): Promise<StagedFile> {
  const found = await workspace.open(input.path);
  await found.close();
  return {
    sandboxPath: input.sandboxPath ?? input.path,
    size: found.size,
    variableName: input.variableName,
    open: async () => {
      // Opened again when its turn comes: a thousand files must not hold a thousand descriptors.
      const file = await workspace.open(input.path);
      if (file.size === found.size) return file.stream();
      await file.close();
      throw inputError(input.path, 'changed while it was read');
    },
  };
}

function inputError(path: string, reason: string): HourglassError {
  return new HourglassError('INPUT_FILE_ERROR', `input file ${JSON.stringify(path)} ${reason}`, { path });
}
