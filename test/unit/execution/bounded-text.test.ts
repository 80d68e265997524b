import { beginningOfText, cutMiddle, endOfText, jsonBytes } from '../../../src/execution/bounded-text';

const TEXTS = ['plain ascii text', 'ä😀\u0000\n"\\ end', '\u0000'.repeat(5_000), '😀'.repeat(3_000)];

test.each(TEXTS)('the beginning of %j fits as JSON and holds whole characters', (text) => {
  for (const bound of [2, 3, 9, 64, 1_000]) {
    const cut = beginningOfText(text, bound);
    expect(text.startsWith(cut)).toBe(true);
    expect(jsonBytes(cut)).toBeLessThanOrEqual(bound);
  }
});

test.each(TEXTS)('the end of %j fits as JSON and holds whole characters', (text) => {
  for (const bound of [2, 3, 9, 64, 1_000]) {
    const cut = endOfText(Buffer.from(text), bound);
    expect(text.endsWith(cut)).toBe(true);
    expect(jsonBytes(cut)).toBeLessThanOrEqual(bound);
  }
});

test('half a character is replaced, so that a bound in bytes holds', () => {
  expect(beginningOfText('\ud83d broken \ude00', 100)).toBe('\ufffd broken \ufffd');
});

test('a text that fits is not cut', () => {
  expect(beginningOfText('abc', 5)).toBe('abc');
  expect(endOfText(Buffer.from('abc'), 5)).toBe('abc');
  expect(cutMiddle('abc', 5)).toBe('abc');
});

test('a cut in the middle keeps beginning and end and says how much there was', () => {
  const cut = cutMiddle(`first ${'x'.repeat(5_000)} last`, 500);
  expect(cut).toMatch(/^first x+\n… cut: 5011 bytes do not fit into the payload …\nx+ last$/);
  expect(jsonBytes(cut)).toBeLessThanOrEqual(500);
});
