import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import {
  BOUNDS,
  LANGUAGE_OF_EXTENSION,
  stripSandboxPrefix,
  type ExecutionRequest,
  type Language,
} from '../../contract';
import { parseRequest } from '../../execution/parse-request';
import { CliError } from '../errors';
import { EXIT } from '../exit-codes';
import { parseLocalFile, readJsonObject, readText, type LocalFile } from './local-input';
import type { RunOptions } from './options';

/** A file or text to put into the workspace before the run, and to remove from it afterwards. */
export interface StagedInput {
  readonly workspacePath: string;
  readonly content: { readonly localPath: string } | { readonly text: string };
}

/** What to run, and what has to be in the workspace for it. */
export interface PreparedRun {
  /** Valid; its executionId is set. */
  readonly request: ExecutionRequest & { readonly executionId: string };
  readonly staged: readonly StagedInput[];
}

/**
 * The request that a command line means: the request file, if any, with the options on top.
 *
 * Rejects with CliError (64, 66), or with HourglassError VALIDATION_ERROR.
 */
export async function buildRequest(file: string | undefined, options: RunOptions): Promise<PreparedRun> {
  checkUsage(file, options);
  const base: Record<string, unknown> = options.request === undefined ? {} : await readJsonObject(options.request);
  const executionId = typeof base.executionId === 'string' ? base.executionId : randomUUID();
  const folder = `cli/${executionId}`;
  const program = file === undefined ? undefined : await readProgram(file, folder);
  const files = (options.in ?? []).map((argument) => stage(parseLocalFile(argument), folder));
  const request = {
    ...base,
    executionId,
    ...program?.fields,
    ...languageField(file, options, base),
    ...(await inputFields(options, base)),
    ...fileFields(options, base, files),
    ...(await stdinField(options)),
    ...limitFields(options, base),
    ...idFields(options),
  } as unknown as PreparedRun['request'];
  parseRequest(request);
  return { request, staged: [...(program?.staged ?? []), ...files.map(({ input }) => input)] };
}

function checkUsage(file: string | undefined, { stdin, stdinText, request }: RunOptions): void {
  const usage = (message: string): never => {
    throw new CliError(`${message} (hourglass run --help shows how)`, EXIT.USAGE);
  };
  if (file === undefined && request === undefined) usage('a program is missing: give a FILE, - or --request');
  if (stdin !== undefined && stdinText !== undefined) usage('--stdin and --stdin-text exclude each other');
  const readers = [file, stdin, request].filter((path) => path === '-').length;
  if (readers > 1) usage('stdin can be read only once: - stands in two places');
}

/** A program from a file or `-`: the fields of its request; one too large for a request goes into the workspace. */
export async function readProgram(
  file: string,
  folder: string,
): Promise<{ fields: Record<string, unknown>; staged: readonly StagedInput[] }> {
  const text = await readText(file);
  if (Buffer.byteLength(text) <= BOUNDS.codeBytes) return { fields: { code: text, codeFile: undefined }, staged: [] };
  const workspacePath = `${folder}/program`;
  return { fields: { code: undefined, codeFile: workspacePath }, staged: [{ workspacePath, content: { text } }] };
}

function languageField(
  file: string | undefined,
  { language }: RunOptions,
  base: Record<string, unknown>,
): { language?: Language } {
  if (language !== undefined) return { language };
  const byExtension = file === undefined ? undefined : LANGUAGE_OF_EXTENSION[extname(file).toLowerCase()];
  if (byExtension !== undefined) return { language: byExtension };
  if (base.language !== undefined) return {};
  const known = Object.keys(LANGUAGE_OF_EXTENSION).join(' ');
  throw new CliError(
    `the language of ${file ?? 'the program'} is not known: use --language, or one of ${known}`,
    EXIT.USAGE,
  );
}

async function inputFields({ input, inputs }: RunOptions, base: Record<string, unknown>): Promise<object> {
  const fromFile = inputs === undefined ? {} : await readJsonObject(inputs);
  const inputData = { ...(base.inputData as object | undefined), ...fromFile, ...input };
  return input === undefined && inputs === undefined ? {} : { inputData };
}

interface StagedFile {
  readonly input: StagedInput;
  readonly sandboxPath: string;
}

function stage({ localPath, sandboxPath }: LocalFile, folder: string): StagedFile {
  return {
    sandboxPath,
    input: { workspacePath: `${folder}/in/${stripSandboxPrefix(sandboxPath)}`, content: { localPath } },
  };
}

function fileFields(
  { out = [], figures }: RunOptions,
  base: Record<string, unknown>,
  files: readonly StagedFile[],
): object {
  const inputFiles = files.map(({ input, sandboxPath }) => ({ path: input.workspacePath, sandboxPath }));
  const outputFiles = out.map((sandboxPath) => ({ sandboxPath }));
  return {
    ...(files.length === 0 ? {} : { inputFiles: [...listOf(base.inputFiles), ...inputFiles] }),
    ...(out.length === 0 ? {} : { outputFiles: [...listOf(base.outputFiles), ...outputFiles] }),
    ...(figures ? {} : { saveFigures: false }),
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

async function stdinField({ stdin, stdinText }: RunOptions): Promise<object> {
  if (stdin !== undefined) return { stdin: await readText(stdin) };
  return stdinText === undefined ? {} : { stdin: stdinText };
}

function limitFields(
  { timeout, memory, disk, cpus, pids, maxOutput }: RunOptions,
  base: Record<string, unknown>,
): object {
  const asked = { memoryMb: memory, diskMb: disk, cpuCores: cpus, maxPids: pids, maxOutputBytes: maxOutput };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return {
    ...(timeout === undefined ? {} : { timeout }),
    ...(Object.keys(given).length === 0
      ? {}
      : { resourceLimits: { ...(base.resourceLimits as object | undefined), ...given } }),
  };
}

function idFields({ label, workspaceId, userId }: RunOptions): object {
  return {
    ...(label === undefined ? {} : { label }),
    ...(workspaceId === undefined ? {} : { workspaceId }),
    ...(userId === undefined ? {} : { userId }),
  };
}
