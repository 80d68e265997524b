/** Text of a stream within its bound. */
export interface BoundedText {
  readonly text: string;
  readonly truncated: boolean;
}

const ESCAPED_IN_TWO = new Set(['\b', '\t', '\n', '\f', '\r', '"', '\\']);
const CONTINUATION = 0b10;

/** Bytes a character takes in JSON; never less than in UTF-8, so that one bound holds for both. */
function jsonCost(character: string): number {
  if (ESCAPED_IN_TWO.has(character)) return 2;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function fits(text: string, maxBytes: number): boolean {
  return text.length <= maxBytes && Buffer.byteLength(JSON.stringify(text)) - 2 <= maxBytes;
}

/** Bytes at the end that begin a character whose rest is missing. */
function incompleteEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >> 6 === CONTINUATION) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

/** Bytes at the front that end a character whose beginning is missing. */
function brokenFront(bytes: Buffer): number {
  let front = 0;
  while (front < Math.min(3, bytes.length) && (bytes[front] ?? 0) >> 6 === CONTINUATION) front += 1;
  return front;
}

function beginning(text: string, room: number): string {
  let end = 0;
  for (const character of text) {
    room -= jsonCost(character);
    if (room < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function ending(text: string, room: number): string {
  let start = text.length;
  while (start > 0) {
    const low = text.charCodeAt(start - 1);
    const width = low >= 0xdc00 && low <= 0xdfff && start > 1 ? 2 : 1;
    room -= jsonCost(text.slice(start - width, start));
    if (room < 0) break;
    start -= width;
  }
  return text.slice(start);
}

/**
 * What a stream said, within `maxBytes` both as UTF-8 and as JSON: the whole where it fits, else its beginning and its end
 * around a marker, cut at whole characters.
 *
 * `head` are the first bytes, `tail` the last bytes of what came after them, `total` the bytes written. Bytes that are not
 * UTF-8 become U+FFFD.
 */
export function boundText(head: Buffer, tail: Buffer, total: number, maxBytes: number): BoundedText {
  const isWhole = head.length + tail.length >= total;
  const whole = isWhole ? Buffer.concat([head, tail]).toString('utf8') : undefined;
  if (whole !== undefined && fits(whole, maxBytes)) return { text: whole, truncated: false };
  const first = whole ?? head.subarray(0, head.length - incompleteEnd(head)).toString('utf8');
  const last = whole ?? tail.subarray(brokenFront(tail)).toString('utf8');
  const marker = `\n... [truncated: ${total} bytes were written, the beginning and the end are kept] ...\n`;
  const room = Math.max(0, maxBytes - Buffer.byteLength(JSON.stringify(marker)) + 2);
  const start = beginning(first, Math.ceil(room / 2));
  return { text: start + marker + ending(last, Math.floor(room / 2)), truncated: true };
}

/** The beginning of a text of at most `maxBytes` bytes as JSON, with a mark where something is missing. */
export function boundMessage(text: string, maxBytes: number): string {
  if (fits(text, maxBytes)) return text;
  const mark = '…';
  return beginning(text, maxBytes - jsonCost(mark)) + mark;
}
