import { beginning, brokenFront, ending, wellFormed } from '../runner/bounded-text';

const QUOTES = '""'.length;

/** Bytes of a value as JSON text in UTF-8: what it takes of a payload. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}

/** The beginning of a text whose JSON form has at most `maxJsonBytes` bytes; half characters become U+FFFD. */
export function beginningOfText(text: string, maxJsonBytes: number): string {
  return beginning(wellFormed(text), maxJsonBytes - QUOTES);
}

/** The end of some UTF-8 bytes as text whose JSON form has at most `maxJsonBytes` bytes. */
export function endOfText(bytes: Buffer, maxJsonBytes: number): string {
  const cut = bytes.subarray(-maxJsonBytes);
  const isCut = cut.length < bytes.length;
  return ending(cut.subarray(isCut ? brokenFront(cut) : 0).toString('utf8'), maxJsonBytes - QUOTES);
}

/** The beginning and the end of a text around a marker that says how much there was, within `maxJsonBytes` as JSON. */
export function cutMiddle(text: string, maxJsonBytes: number): string {
  if (jsonBytes(text) <= maxJsonBytes) return text;
  const marker = `\n… cut: ${Buffer.byteLength(text)} bytes do not fit into the payload …\n`;
  const half = Math.max(0, Math.floor((maxJsonBytes - jsonBytes(marker)) / 2));
  return beginning(text, half) + marker + ending(text, half);
}
