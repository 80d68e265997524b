import { boundMessage, boundText } from '../../../src/runner';

const NONE = Buffer.alloc(0);
const MAX = 1_024;

function cost(text: string): { utf8: number; json: number } {
  return { utf8: Buffer.byteLength(text), json: Buffer.byteLength(JSON.stringify(text)) - 2 };
}

test('what fits is kept whole, from beginning and tail together', () => {
  expect(boundText(Buffer.from('héllo '), Buffer.from('wörld'), 13, MAX)).toEqual({
    text: 'héllo wörld',
    truncated: false,
  });
  expect(boundText(NONE, NONE, 0, MAX)).toEqual({ text: '', truncated: false });
});

test('a character cut between beginning and tail is whole again', () => {
  const bytes = Buffer.from('a😀b');
  expect(boundText(bytes.subarray(0, 3), bytes.subarray(3), bytes.length, MAX).text).toBe('a😀b');
});

test('as much as the bound allows is kept whole', () => {
  expect(boundText(Buffer.alloc(MAX, 'x'), NONE, MAX, MAX)).toEqual({ text: 'x'.repeat(MAX), truncated: false });
  expect(boundText(Buffer.alloc(MAX, 'x'), Buffer.from('x'), MAX + 1, MAX).truncated).toBe(true);
});

/** At least as many bytes as the bound, in whole characters. */
function filled(unit: string): Buffer {
  return Buffer.from(unit.repeat(Math.ceil(MAX / Buffer.byteLength(unit))));
}

const TEXTS: [string, Buffer][] = [
  ['letters', filled('abc')],
  ['lines', filled('line\n')],
  ['NUL bytes', filled('\u0000')],
  ['control characters', filled('\u001b\u0007')],
  ['quotes', filled('"\\')],
  ['two-byte characters', filled('ü')],
  ['three-byte characters', filled('漢')],
  ['emoji', filled('😀')],
  ['emoji behind one letter', Buffer.concat([Buffer.from('a'), filled('😀')])],
  ['a mixture', filled('aü漢😀"\u0000')],
];
const STREAMS: [string, Buffer][] = [...TEXTS, ['bytes that are no text', Buffer.alloc(MAX, 0xff)]];

test.each(STREAMS)('R19: %s: the bound holds for UTF-8 and JSON, and little room is left', (_, head) => {
  const { text, truncated } = boundText(head, head, 1_000_000, MAX);
  const { utf8, json } = cost(text);
  expect(truncated).toBe(true);
  expect(Math.max(utf8, json)).toBeLessThanOrEqual(MAX);
  expect(json).toBeGreaterThan(MAX - 16);
  expect(text).toContain('\n... [truncated: 1000000 bytes were written, the beginning and the end are kept] ...\n');
});

test.each(TEXTS)('R19: %s: cut at whole characters', (_, head) => {
  for (let cut = 0; cut < 8; cut += 1) {
    const { text } = boundText(head.subarray(0, head.length - cut), head.subarray(cut), 1_000_000, MAX - cut);
    expect(text).not.toContain('\ufffd');
    expect(text).not.toMatch(/\p{Surrogate}/u);
  }
});

test('text that fits as UTF-8 and not as JSON is cut in the middle', () => {
  const bytes = Buffer.concat([Buffer.from('BEGIN'), Buffer.alloc(MAX - 8), Buffer.from('END')]);
  const { text, truncated } = boundText(bytes, NONE, bytes.length, MAX);
  expect(truncated).toBe(true);
  expect(text).toMatch(/^BEGIN\0+\n\.\.\. \[truncated: 1024 bytes .*\] \.\.\.\n\0+END$/);
  expect(cost(text).json).toBeLessThanOrEqual(MAX);
});

test('bytes that are no text become replacement characters', () => {
  expect(boundText(Buffer.from([0x61, 0xff, 0x62]), NONE, 3, MAX).text).toBe('a\ufffdb');
});

test.each([
  ['short', 10, 'short'],
  ['a longer message', 10, 'a longe…'],
  ['😀😀😀😀', 10, '😀…'],
  ['\u0000\u0000\u0000', 16, '\u0000\u0000…'],
  ['half \ud83d', 20, 'half \ufffd'],
])('the message %j within %i bytes is %j', (message, max, expected) => {
  expect(boundMessage(message, max)).toBe(expected);
});
