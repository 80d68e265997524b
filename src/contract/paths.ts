import { z } from 'zod';
import { BOUNDS } from './limits';

// Control characters, DEL and backslash: harmless on Linux, an attack or a mistake everywhere they turn up.
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const encoder = new TextEncoder();

/** Why a relative path is refused, or `undefined` when it is good. Pure: says nothing about the file. */
export function describePathFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (encoder.encode(path).length > BOUNDS.pathBytes) return `is longer than ${BOUNDS.pathBytes} bytes`;
  if (LONE_SURROGATE.test(path)) return 'is not valid Unicode';
  if (FORBIDDEN.test(path)) return 'contains a control character or a backslash';
  if (path.startsWith('/')) return 'is absolute; paths are relative to the workspace, in the sandbox to /sandbox';
  for (const segment of path.split('/')) {
    if (segment === '') return 'has an empty segment';
    if (segment === '.' || segment === '..') return `has a "${segment}" segment`;
    if (encoder.encode(segment).length > BOUNDS.pathSegmentBytes) {
      return `has a segment longer than ${BOUNDS.pathSegmentBytes} bytes`;
    }
  }
  return undefined;
}

function checkPath(path: string, ctx: z.RefinementCtx): void {
  const fault = describePathFault(path);
  if (fault !== undefined) ctx.addIssue({ code: 'custom', message: `path ${fault}` });
}

/** `./a` and `a` mean the same file. */
function stripCurrentFolder(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

/** A path below the tenant's workspace root. */
export const workspacePathSchema = z.string().transform(stripCurrentFolder).superRefine(checkPath);

const SANDBOX_PREFIX = '/sandbox/';

/** `/sandbox/a/b` and `a/b` mean the same file: the working directory is the root of sandbox paths. */
export function stripSandboxPrefix(path: string): string {
  return path.startsWith(SANDBOX_PREFIX) ? path.slice(SANDBOX_PREFIX.length) : stripCurrentFolder(path);
}

/** A path below /sandbox, written relative or absolute. */
export const sandboxPathSchema = z.string().transform(stripSandboxPrefix).superRefine(checkPath);

/** Where files are sent back from: the working directory, or /tmp. */
export type OutputRoot = 'sandbox' | 'tmp';

/** Splits an output pattern into its root and the pattern below it. */
export function splitOutputPattern(pattern: string): { root: OutputRoot; pattern: string } {
  if (pattern.startsWith('/tmp/')) return { root: 'tmp', pattern: pattern.slice('/tmp/'.length) };
  return { root: 'sandbox', pattern: stripSandboxPrefix(pattern) };
}

/** A path or glob below /sandbox or /tmp. */
export const outputPatternSchema = z.string().superRefine((pattern, ctx) => {
  checkPath(splitOutputPattern(pattern).pattern, ctx);
});

/** Whether a pattern can match more than the file of that name. */
export function isGlob(pattern: string): boolean {
  return /[*?[\]{}!()]/.test(pattern);
}
