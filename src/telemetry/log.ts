import pino from 'pino';
import { formatLine } from './pretty';
import { escapeControls, safeText } from './safe-text';

/** Longest text a log field holds; the rest is cut. */
const MAX_FIELD_LENGTH = 2_048;
/** Most items of a list that a log field holds. */
const MAX_ITEMS = 50;

/** Facts of one event: ids, counts, limits. Never code, inputs or output. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log: what happened as a constant sentence, the facts as fields. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** The same log with fields added to every line. */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  /** Least level that is written: `debug`, `info`, `warn`, `error` or `silent`. */
  readonly level: string;
  readonly format: 'json' | 'pretty';
  /** Where lines go; stderr by default, so that stdout stays free for results. */
  readonly write?: ((line: string) => void) | undefined;
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? safeText(error, MAX_FIELD_LENGTH) : error;
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : { at: placeOf(error) };
  return { type: error.name, message: safeText(error.message, MAX_FIELD_LENGTH), ...code, ...cause };
}

/** Where an error that nobody gave a code comes from: a defect is found by it. */
function placeOf({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return safeText(frames.slice(0, 3).join(' ').replace(/\s+/g, ' ').trim(), MAX_FIELD_LENGTH);
}

function safeFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toSafe(value)]));
}

function toSafe(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value, MAX_FIELD_LENGTH);
  if (value instanceof Error) return describeError(value);
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(toSafe) : value;
}

/** Escapes what JSON leaves as it is, such as DEL, C1 and marks that reorder text; the value stays the same. */
function safeLine(line: string): string {
  return `${escapeControls(line.trimEnd())}\n`;
}

/** A log that writes JSON lines, or lines for people; control characters arrive escaped in both. */
export function createLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const format = options.format === 'json' ? (line: string) => line : formatLine;
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: safeFields, bindings: safeFields },
      // The formatter above has described errors already.
      serializers: { err: (value: unknown) => value, error: (value: unknown) => value },
    },
    { write: (line: string) => write(format(safeLine(line))) },
  );
}

/** A log that drops everything, for callers that name none. */
export const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT,
};
