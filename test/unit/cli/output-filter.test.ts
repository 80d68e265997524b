import { neutralise, neutraliseButColours, OutputFilter } from '../../../src/cli/output-filter';

test.each([
  ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
  ['a bell and a backspace', 'a\u0007b\u0008', 'a\\u0007b\\u0008'],
  ['an eight-bit control sequence', '\u009b2J', '\\u009b2J'],
  ['a mark that reorders text', 'abc\u202etxt.exe', 'abc\\u202etxt.exe'],
  ['NUL and DEL', '\u0000\u007f', '\\u0000\\u007f'],
  ['a carriage return that would write over a line', 'fine\revil', 'fine\\u000devil'],
])('R44: %s is shown and not obeyed', (_title, text, shown) => {
  expect(neutralise(text)).toBe(shown);
});

test('line breaks and tabs stay', () => {
  expect(neutralise('a\tb\r\nc\n')).toBe('a\tb\nc\n');
});

test('R44: in our own words colours stay, and every other sequence is shown', () => {
  const text = '\u001b[31mred\u001b[39m \u001b[2J\u001b]0;title\u0007\u009b1m\r';
  expect(neutraliseButColours(text)).toBe('\u001b[31mred\u001b[39m \\u001b[2J\\u001b]0;title\\u0007\\u009b1m\\u000d');
});

test('R44: JSON with characters that JSON leaves raw is the same value and shows them', () => {
  const value = { text: '\u001b[31m\u007f\u009b2J\u202e\u2028é' };
  const shown = neutraliseButColours(JSON.stringify(value));
  // eslint-disable-next-line no-control-regex
  expect(shown).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u202e]*$/);
  expect(JSON.parse(shown)).toEqual(value);
});

test.each([
  ['one chunk', ['10%\r20%\r\ndone\r']],
  ['chunks cut at the return', ['10%\r', '20%\r', '\ndone', '\r']],
])('R44: a carriage return in output begins a new line, in %s', (_, chunks) => {
  const filter = new OutputFilter();
  expect(chunks.map((chunk) => filter.pass(chunk)).join('')).toBe('10%\n20%\ndone\n');
});

test('text of all languages and emoji stay', () => {
  expect(neutralise('Grüße 日本語 👩‍🔬')).toBe('Grüße 日本語 👩‍🔬');
});

test('a character that is cut between two chunks arrives whole', () => {
  const filter = new OutputFilter();
  const bytes = Buffer.from('日本');
  expect(filter.pass(bytes.subarray(0, 2)) + filter.pass(bytes.subarray(2))).toBe('日本');
});
