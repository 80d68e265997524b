import { InvalidArgumentError } from 'commander';
import type { JsonValue } from '../../contract';

const MS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const BYTES: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 };
const MEGABYTES: Readonly<Record<string, number>> = { '': 1, m: 1, g: 1_024, t: 1_048_576 };

const MOST_ROWS = 500;

function quantity(units: Readonly<Record<string, number>>, example: string): (text: string) => number {
  return (text) => {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(text.toLowerCase());
    const factor = units[(match?.[2] ?? '?').replace(/^([kmgt])i?b$/, '$1')];
    if (match === null || factor === undefined) throw new InvalidArgumentError(`Give it like ${example}.`);
    return Number(match[1]) * factor;
  };
}

/** `1500`, `1500ms`, `30s`, `5m` or `1h`, in ms. */
export const parseDuration = quantity(MS, '1500 (ms), 30s, 5m or 1h');
/** `102400`, `64k` or `1m`, in bytes. */
export const parseBytes = quantity(BYTES, '102400 (bytes), 64k or 1m');
/** `512`, `512m` or `2g`, in MB. */
export const parseMegabytes = quantity(MEGABYTES, '512 (MB), 512m or 2g');

/** A number in decimal notation. */
export function parseDecimal(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Give a number.');
  return Number(text);
}

/** A whole number from 1. */
export function parseWhole(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1.');
  return Number(text);
}

/** Calls that a rollback can take back. */
export function parseKeptCalls(text: string): number {
  if (!/^[0-8]$/.test(text)) throw new InvalidArgumentError('Give a number from 0 to 8.');
  return Number(text);
}

/** Rows that one question to a server may bring. */
export function parseRows(text: string): number {
  const rows = parseWhole(text);
  if (rows > MOST_ROWS) throw new InvalidArgumentError(`Give at most ${MOST_ROWS}.`);
  return rows;
}

/** One `name=value`: the value as JSON where it is JSON, else as text. Collects into what came before. */
export function collectInput(text: string, before: Record<string, JsonValue> = {}): Record<string, JsonValue> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give it like name=value.');
  return { ...before, [text.slice(0, at)]: jsonOrText(text.slice(at + 1)) };
}

function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** Collects an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
