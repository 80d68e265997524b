import { z } from 'zod';
import { jsonObjectSchema } from './json';
import { LANGUAGES } from './languages';
import { BOUNDS, resourceLimitsSchema, timeoutSchema } from './limits';
import { idSchema, inputKeySchema, inputNameSchema } from './names';
import { outputPatternSchema, sandboxPathSchema, workspacePathSchema } from './paths';

const encoder = new TextEncoder();

function textUpTo(maxBytes: number, advice: string): z.ZodString {
  return z
    .string()
    .refine((text) => encoder.encode(text).length <= maxBytes, `is larger than ${maxBytes} bytes; ${advice}`);
}

/** A program within a request. */
export const codeSchema = textUpTo(BOUNDS.codeBytes, 'put the program into a workspace file and name it in codeFile');

/** One workspace file that the program finds in its working directory. */
export const inputFileSchema = z.strictObject({
  /** Workspace file path. */
  path: workspacePathSchema,
  /** Where the file lies in the sandbox; the same relative path by default. */
  sandboxPath: sandboxPathSchema.optional(),
  /** Input that also holds the file's text; the file must be UTF-8. */
  variableName: inputNameSchema.optional(),
});

/** One file, or all files of a glob, to save into the workspace. */
export const outputFileSchema = z.strictObject({
  /** Path or glob in the sandbox, relative to /sandbox (or below /tmp/). */
  sandboxPath: outputPatternSchema,
  /** Destination: a file for a path, a folder for a glob or where it ends with "/". Default: the same relative path. */
  workspacePath: z
    .string()
    .transform((path) => ({ folder: path.endsWith('/'), path: path.replace(/\/+$/, '') }))
    .pipe(z.object({ folder: z.boolean(), path: workspacePathSchema }))
    .transform(({ folder, path }) => (folder ? `${path}/` : path))
    .optional(),
});

const requestShape = z.strictObject({
  language: z.enum(LANGUAGES),
  code: codeSchema.optional(),
  /** Workspace path of the program, for programs that should not live in workflow history. */
  codeFile: workspacePathSchema.optional(),
  inputData: jsonObjectSchema(inputKeySchema, {
    maxBytes: BOUNDS.inputDataBytes,
    maxNames: BOUNDS.inputNames,
    maxDepth: BOUNDS.jsonDepth,
    advice: 'put the data into a workspace file and name it in inputFiles',
  }).optional(),
  inputFiles: z.array(inputFileSchema).max(BOUNDS.inputFiles).optional(),
  outputFiles: z.array(outputFileSchema).max(BOUNDS.outputFiles).optional(),
  stdin: textUpTo(BOUNDS.stdinBytes, 'put it into a workspace file and name it in inputFiles').optional(),
  timeout: timeoutSchema.optional(),
  resourceLimits: resourceLimitsSchema.optional(),
  allowNetworkAccess: z.boolean().optional(),
  /** Additional packages; refused by policy until package layers exist. */
  packages: z.array(z.string().min(1).max(200)).max(20).optional(),
  /** Stateful execution; refused by policy until sessions exist. */
  sessionId: idSchema.optional(),
  engine: z.enum(['auto', 'container', 'isolate']).optional(),
  /** `tenant`: the sandbox may have served runs of the same tenant before, and may serve more. Default: `run`. */
  isolation: z.enum(['run', 'tenant']).optional(),
  workspaceId: idSchema.optional(),
  userId: idSchema.optional(),
  /** Stays the same over attempts, activities and hosts; made by the workflow where the caller names none. */
  executionId: idSchema.optional(),
  /** A few words for the Temporal UI. */
  label: z.string().max(BOUNDS.labelLength).optional(),
  /** Whether running the program twice does no harm. Default: false. */
  idempotent: z.boolean().optional(),
  /** What becomes of an execution whose host is lost while its program may have run. Default: `rerun` where `idempotent`. */
  onHostLost: z.enum(['rerun', 'fail']).optional(),
  /** How long a host that does not answer may take to come back before it counts as lost, in ms. Default: 60,000. */
  hostLostAfter: z.number().int().min(1_000).max(86_400_000).optional(),
  /** Whether heartbeats carry the tail of stdout. Default: true. */
  heartbeatOutput: z.boolean().optional(),
  /** Whether figures left open in matplotlib are saved. Default: true. */
  saveFigures: z.boolean().optional(),
});

type RequestShape = z.infer<typeof requestShape>;

function checkOneProgram(request: RequestShape, ctx: z.RefinementCtx): void {
  const named = [request.code, request.codeFile].filter((part) => part !== undefined).length;
  if (named !== 1)
    ctx.addIssue({ code: 'custom', path: ['code'], message: 'exactly one of code and codeFile is needed' });
}

function checkDistinct(request: RequestShape, ctx: z.RefinementCtx): void {
  const paths = new Set<string>();
  const names = new Set(Object.keys(request.inputData ?? {}));
  (request.inputFiles ?? []).forEach((file, index) => {
    const target = (file.sandboxPath ?? file.path).normalize('NFC');
    if (paths.has(target)) {
      ctx.addIssue({ code: 'custom', path: ['inputFiles', index], message: `two input files lie at ${target}` });
    }
    paths.add(target);
    if (file.variableName === undefined) return;
    if (names.has(file.variableName)) {
      ctx.addIssue({
        code: 'custom',
        path: ['inputFiles', index, 'variableName'],
        message: `${file.variableName} is given twice`,
      });
    }
    names.add(file.variableName);
  });
}

function checkSize(request: RequestShape, ctx: z.RefinementCtx): void {
  const bytes = encoder.encode(JSON.stringify(request)).length;
  if (bytes > BOUNDS.requestBytes) {
    ctx.addIssue({
      code: 'custom',
      message: `request has ${bytes} bytes, a payload allows ${BOUNDS.requestBytes}; put code and data into workspace files`,
    });
  }
}

/** Whether a program whose host is lost runs again; the request may not have been checked yet. */
export function rerunsAfterLoss({ idempotent, onHostLost }: { idempotent?: unknown; onHostLost?: unknown }): boolean {
  return onHostLost === undefined ? idempotent === true : onHostLost === 'rerun';
}

/**
 * One request to run one program.
 *
 * Unknown keys are refused; everything is bounded. Field names are those of the reference's `CodeExecuteInput`.
 */
export const executionRequestSchema = requestShape.superRefine((request, ctx) => {
  checkOneProgram(request, ctx);
  checkDistinct(request, ctx);
  checkSize(request, ctx);
});

/** A request as callers write it. */
export type ExecutionRequest = z.input<typeof executionRequestSchema>;

/** A request after validation: paths normalised, nothing unknown in it. */
export type ValidRequest = z.output<typeof executionRequestSchema>;
export type InputFile = z.output<typeof inputFileSchema>;
export type OutputFile = z.output<typeof outputFileSchema>;
