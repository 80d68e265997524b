/** Bytes of a value as JSON text in UTF-8: what it takes of a payload. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? 'null');
}

const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

/** Bytes at the front of a cut that belong to a character whose beginning is gone. */
function brokenFront(bytes: Buffer): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && ((bytes[count] ?? 0) & CONTINUATION_MASK) === CONTINUATION) count += 1;
  return count;
}

/** The end of some UTF-8 bytes as text whose JSON form has at most `maxJsonBytes` bytes; whole characters only. */
export function endOfText(bytes: Buffer, maxJsonBytes: number): string {
  const cut = bytes.subarray(-maxJsonBytes);
  const characters = [...cut.subarray(bytes.length > cut.length ? brokenFront(cut) : 0).toString('utf8')];
  let room = maxJsonBytes - 2;
  let first = characters.length;
  while (first > 0) {
    room -= jsonBytes(characters[first - 1]) - 2;
    if (room < 0) break;
    first -= 1;
  }
  return characters.slice(first).join('');
}

/** The longest beginning of a text whose JSON form has at most `maxJsonBytes` bytes; whole characters only. */
export function beginningOfText(text: string, maxJsonBytes: number): string {
  if (text.length * 6 + 2 <= maxJsonBytes || jsonBytes(text) <= maxJsonBytes) return text;
  let low = 0;
  let high = Math.min(text.length, maxJsonBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes(text.slice(0, middle)) <= maxJsonBytes) low = middle;
    else high = middle - 1;
  }
  const endsInHalf = /[\ud800-\udbff]/.test(text[low - 1] ?? '');
  return text.slice(0, endsInHalf ? low - 1 : low);
}

/** The beginning and the end of a text around a marker that says how much is missing, within `maxJsonBytes` as JSON. */
export function cutMiddle(text: string, maxJsonBytes: number): string {
  if (jsonBytes(text) <= maxJsonBytes) return text;
  const marker = `\n… cut: ${Buffer.byteLength(text)} bytes do not fit into the payload …\n`;
  const half = Math.max(2, Math.floor((maxJsonBytes - jsonBytes(marker) + 2) / 2));
  return beginningOfText(text, half) + marker + endOfText(Buffer.from(text), half);
}
