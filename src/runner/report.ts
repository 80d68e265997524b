import { z } from 'zod';
import { BOUNDS, type ProgramError } from '../contract';
import { boundMessage, boundMiddle } from './bounded-text';
import { REPORT_HEADER_BYTES } from './received';
import { checkResultJson, parseJson } from './result-json';

const TYPE_BYTES = 256;
const WARNING_BYTES = 1_024;
const LINE_FEED = 0x0a;

const errorSchema = z.object({
  code: z.enum(['SYNTAX_ERROR', 'RUNTIME_ERROR']),
  type: z.string(),
  message: z.string(),
  line: z.number().int().positive().optional().catch(undefined),
  traceback: z.string().optional().catch(undefined),
});

const headerSchema = z.object({
  v: z.literal(1),
  hasResult: z.boolean(),
  error: errorSchema.nullable(),
  warnings: z.array(z.string()).max(1_000),
});

/** What the process of the program reported of itself, checked and bounded. */
export interface Report {
  /** Valid JSON text within the bounds of a result. */
  readonly resultJson: string | undefined;
  readonly error: ProgramError | undefined;
  readonly warnings: readonly string[];
}

const NO_REPORT: Report = { resultJson: undefined, error: undefined, warnings: [] };

/**
 * Reads a report. A program that ended without one has none; one that left a broken one gets an error for it.
 *
 * `isTruncated`: the guest left out its end.
 */
export function parseReport(bytes: Buffer, isTruncated: boolean): Report {
  if (bytes.length === 0) return NO_REPORT;
  const headerEnd = bytes.subarray(0, REPORT_HEADER_BYTES).indexOf(LINE_FEED);
  if (headerEnd < 0) return broken('it has no header line');
  const header = headerSchema.safeParse(parseJson(bytes.subarray(0, headerEnd).toString('utf8')));
  if (!header.success) return broken('its header is not as it should be');
  const { hasResult, error } = header.data;
  const warnings = header.data.warnings.map((warning) => boundMessage(warning, WARNING_BYTES));
  const reported = { error: error === null ? undefined : boundError(error), warnings };
  if (!hasResult) return { resultJson: undefined, ...reported };
  if (isTruncated) return { ...broken(`its result is larger than ${BOUNDS.resultBytes} bytes`), warnings };
  const result = checkResultJson(bytes.subarray(headerEnd + 1));
  return 'json' in result ? { resultJson: result.json, ...reported } : { ...broken(result.fault), warnings };
}

function boundError({ code, type, message, line, traceback }: z.infer<typeof errorSchema>): ProgramError {
  return {
    code,
    type: boundMessage(type, TYPE_BYTES),
    message: boundMessage(message, BOUNDS.errorMessageBytes),
    ...(line === undefined ? {} : { line }),
    // Both the outermost lines and the error itself, at the end, stay.
    ...(traceback === undefined ? {} : { traceback: boundMiddle(traceback, BOUNDS.tracebackBytes) }),
  };
}

function broken(why: string): Report {
  const message = `The program left a report that is not valid: ${why}`;
  return { ...NO_REPORT, error: { code: 'RUNTIME_ERROR', type: 'RUNTIME_ERROR', message } };
}
