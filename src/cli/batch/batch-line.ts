import { posix } from 'node:path';
import { z } from 'zod';
import { HourglassError, inputFileSchema, isGlob, outputFileSchema, type ExecutionRequest } from '../../contract';
import { parseRequest } from '../../execution/parse-request';
import { MAX_LINE_BYTES, type FileLine } from './read-lines';

/** Longest id of a line. */
const MAX_ID = 256;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A file whose content is in the line itself. */
const inlineFileSchema = z
  .strictObject({
    ...inputFileSchema.shape,
    path: z.undefined().optional(),
    sandboxPath: z.string(),
    content: z.string().optional(),
    contentBase64: z.string().regex(BASE64, 'is not base64').optional(),
  })
  .refine((file) => (file.content === undefined) !== (file.contentBase64 === undefined), {
    message: 'exactly one of path, content and contentBase64 is needed',
  });

// As it is, unlike a record, which leaves out a name such as __proto__: what a request may hold is the contract's to say.
const requestSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

const lineSchema = z.strictObject({ id: z.string().min(1).max(MAX_ID), request: requestSchema });

/** A file to put into the workspace before its line runs. */
export interface InlineFile {
  readonly workspacePath: string;
  readonly content: Buffer;
}

/** One line that is to run. */
export interface BatchLine {
  readonly id: string;
  readonly number: number;
  readonly request: ExecutionRequest;
  readonly inline: readonly InlineFile[];
  /** Folder of the workspace in which the line's own files lie. */
  readonly folder: string;
}

/** Whose line a failure is: its id where it has one, its number where it has none. */
export interface LineName {
  readonly id: string | null;
  readonly number: number;
}

/** A line that cannot run, and why. */
export class LineError extends HourglassError {
  constructor(
    readonly line: LineName,
    message: string,
    details: HourglassError['details'] = {},
  ) {
    super('VALIDATION_ERROR', message, details);
  }
}

/** The JSON of a line and its id, before its request is looked at. Throws LineError. */
export function readLine({ number, text }: FileLine): { id: string; request: Record<string, unknown> } {
  if (text === undefined)
    throw new LineError({ id: null, number }, `line ${number} is longer than ${MAX_LINE_BYTES} bytes`);
  const value = parseJson(text, number);
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `${issue.path.map(String).join('.')}: ` : '';
  throw new LineError(
    { id: idOf(value), number },
    `line ${number} is not valid: ${where}${issue?.message ?? 'unknown'}`,
  );
}

function parseJson(text: string, number: number): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : String(error);
    throw new LineError({ id: null, number }, `line ${number} is not JSON: ${reason}`);
  }
}

function idOf(value: unknown): string | null {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' && id.length > 0 && id.length <= MAX_ID ? id : null;
}

/**
 * The request of a line as the contract knows it: inline files and outputs without a place get one below `folder`.
 * Throws LineError for a request that is not valid.
 */
export function toBatchLine(
  { id, request }: { id: string; request: Record<string, unknown> },
  number: number,
  folder: string,
): BatchLine {
  const inline: InlineFile[] = [];
  try {
    const inputFiles = mapList(request.inputFiles, (file, index) => placeInput(file, index, folder, inline));
    const outputFiles = mapList(request.outputFiles, (file, index) => placeOutput(file, index, folder));
    const whole = {
      ...request,
      ...(inputFiles === undefined ? {} : { inputFiles }),
      ...(outputFiles === undefined ? {} : { outputFiles }),
    };
    parseRequest(whole);
    return { id, number, request: whole as unknown as ExecutionRequest, inline, folder };
  } catch (error) {
    if (error instanceof LineError) throw error;
    if (error instanceof HourglassError) throw new LineError({ id, number }, error.message, error.details);
    throw error;
  }
}

/** Lists are mapped; whatever else is there is left to the contract, which refuses it. */
function mapList(value: unknown, map: (item: unknown, index: number) => unknown): unknown {
  return Array.isArray(value) ? value.map(map) : value;
}

function placeInput(file: unknown, index: number, folder: string, inline: InlineFile[]): unknown {
  if (typeof file !== 'object' || file === null || !('content' in file || 'contentBase64' in file)) return file;
  const parsed = inlineFileSchema.safeParse(file);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = ['inputFiles', index, ...(issue?.path ?? [])].map(String).join('.');
    const message = issue?.message ?? 'unknown';
    throw new HourglassError('VALIDATION_ERROR', `request is not valid: ${path}: ${message}`, {
      issues: [{ path, message }],
    });
  }
  const { content, contentBase64, sandboxPath, variableName } = parsed.data;
  const workspacePath = `${folder}/in/${index}`;
  const bytes = content === undefined ? Buffer.from(contentBase64 ?? '', 'base64') : Buffer.from(content);
  inline.push({ workspacePath, content: bytes });
  return { path: workspacePath, sandboxPath, ...(variableName === undefined ? {} : { variableName }) };
}

/** Each entry has a folder of its own: equal names of two entries stay apart. */
function placeOutput(file: unknown, index: number, folder: string): unknown {
  if (typeof file !== 'object' || file === null || 'workspacePath' in file) return file;
  const parsed = outputFileSchema.safeParse(file);
  if (!parsed.success) return file;
  const { sandboxPath } = parsed.data;
  return { ...file, workspacePath: `${folder}/out/${index}/${isGlob(sandboxPath) ? '' : posix.basename(sandboxPath)}` };
}
