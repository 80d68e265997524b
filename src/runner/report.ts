import { z } from 'zod';
import { BOUNDS, type ProgramError } from '../contract';
import { boundMessage, boundText } from './bounded-text';
import { REPORT_HEADER_BYTES } from './received';

const headerSchema = z.object({
  v: z.literal(1),
  hasResult: z.boolean(),
  error: z
    .object({
      code: z.enum(['SYNTAX_ERROR', 'RUNTIME_ERROR']),
      type: z.string(),
      message: z.string(),
      line: z.number().int().positive().nullish().catch(undefined),
      traceback: z.string().nullish(),
    })
    .nullable(),
  warnings: z.array(z.string()).max(1_000),
});

/** What the process of the program reported of itself, bounded and checked. */
export interface Report {
  readonly resultJson: string | undefined;
  readonly error: ProgramError | undefined;
  readonly warnings: readonly string[];
}

const NO_REPORT: Report = { resultJson: undefined, error: undefined, warnings: [] };
const LINE_FEED = 0x0a;

/** Reads a report. A program that ended without one has none; one that forged a broken one gets an error for it. */
export function parseReport(bytes: Buffer): Report {
  if (bytes.length === 0) return NO_REPORT;
  const headerEnd = bytes.subarray(0, REPORT_HEADER_BYTES).indexOf(LINE_FEED);
  if (headerEnd < 0) return broken('it has no header');
  const header = headerSchema.safeParse(parseJson(bytes.subarray(0, headerEnd).toString('utf8')));
  if (!header.success) return broken('its header is not as it should be');
  const { hasResult, error, warnings } = header.data;
  const result = hasResult ? checkResult(bytes.subarray(headerEnd + 1)) : undefined;
  if (result !== undefined && 'fault' in result) return broken(result.fault);
  return { resultJson: result?.json, error: error === null ? undefined : boundError(error), warnings };
}

function boundError(error: NonNullable<z.infer<typeof headerSchema>['error']>): ProgramError {
  const { code, type, message, line, traceback } = error;
  return {
    code,
    type: boundMessage(type, 256),
    message: boundMessage(message, BOUNDS.errorMessageBytes),
    ...(line === null || line === undefined ? {} : { line }),
    ...(traceback ? { traceback: boundTraceback(traceback) } : {}),
  };
}

function boundTraceback(traceback: string): string {
  const bytes = Buffer.from(traceback);
  return boundText(bytes, Buffer.alloc(0), bytes.length, BOUNDS.tracebackBytes).text;
}

type CheckedResult = { readonly json: string } | { readonly fault: string };

function checkResult(bytes: Buffer): CheckedResult {
  if (bytes.length > BOUNDS.resultBytes) return { fault: `its result has more than ${BOUNDS.resultBytes} bytes` };
  if (nestsDeeperThan(bytes, BOUNDS.jsonDepth + 1))
    return { fault: `its result nests deeper than ${BOUNDS.jsonDepth} levels` };
  const json = bytes.toString('utf8');
  return parseJson(json) === undefined ? { fault: 'its result is no JSON' } : { json };
}

/** Whether JSON text nests too deep; looks at brackets outside of strings only, before anything is parsed. */
function nestsDeeperThan(bytes: Buffer, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inString) {
      if (byte === 0x5c) index += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function broken(why: string): Report {
  const message = `The program left a report that is not valid: ${why}`;
  return { ...NO_REPORT, error: { code: 'RUNTIME_ERROR', type: 'InvalidReport', message } };
}
