/** Text of a stream within its bound. */
export interface BoundedText {
  readonly text: string;
  readonly truncated: boolean;
}

const CONTINUATION = 0b10;
const MARK = '…';
const MARK_COST = Buffer.byteLength(MARK);

/** Bytes an ASCII character takes in JSON. */
const ASCII_COST = Uint8Array.from({ length: 0x80 }, (_, code) => JSON.stringify(String.fromCharCode(code)).length - 2);

/** Bytes a UTF-16 unit takes in JSON; never less than in UTF-8, so that one bound holds for both. Half of a pair takes two. */
function unitCost(unit: number): number {
  if (unit < 0x80) return ASCII_COST[unit] ?? 1;
  if (unit < 0x800 || isHighSurrogate(unit) || isLowSurrogate(unit)) return 2;
  return 3;
}

function isHighSurrogate(unit: number): boolean {
  return unit >> 10 === 0xd800 >> 10;
}

function isLowSurrogate(unit: number): boolean {
  return unit >> 10 === 0xdc00 >> 10;
}

/** Text of valid UTF-16: half pairs, which neither UTF-8 nor every JSON parser takes, become U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function fits(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return false;
  let room = maxBytes;
  for (let index = 0; index < text.length && room >= 0; index += 1) room -= unitCost(text.charCodeAt(index));
  return room >= 0;
}

/** The longest beginning of a text that takes at most `room` bytes inside JSON quotes; whole characters only. */
export function beginning(text: string, room: number): string {
  let end = 0;
  while (end < text.length && room >= 0) {
    room -= unitCost(text.charCodeAt(end));
    end += 1;
  }
  if (room < 0) end -= 1;
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end);
}

/** The longest end of a text that takes at most `room` bytes inside JSON quotes; whole characters only. */
export function ending(text: string, room: number): string {
  let start = text.length;
  while (start > 0 && room >= 0) {
    start -= 1;
    room -= unitCost(text.charCodeAt(start));
  }
  if (room < 0) start += 1;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
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
export function brokenFront(bytes: Buffer): number {
  let front = 0;
  while (front < Math.min(3, bytes.length) && (bytes[front] ?? 0) >> 6 === CONTINUATION) front += 1;
  return front;
}

/**
 * What a stream said, within `maxBytes` both as UTF-8 and as JSON without its quotes: the whole where it fits, else its
 * beginning and its end around a marker, cut at whole characters.
 *
 * `head` are the first bytes, `tail` the last bytes of what came after them, `total` the bytes written. Bytes that are not
 * UTF-8 become U+FFFD. Requires: `maxBytes` has room for the marker, about 120 bytes.
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

/** The beginning of a text of at most `maxBytes` bytes as UTF-8 and as JSON, with a mark where something is missing. */
export function boundMessage(text: string, maxBytes: number): string {
  const clean = wellFormed(text);
  return fits(clean, maxBytes) ? clean : beginning(clean, maxBytes - MARK_COST) + MARK;
}

/** The beginning and the end of a text, as `boundText` keeps them. */
export function boundMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  return boundText(bytes, Buffer.alloc(0), bytes.length, maxBytes).text;
}
