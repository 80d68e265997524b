import { neutralise, OutputFilter } from '../../../src/cli/output-filter';

test.each([
  ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
  ['a bell and a backspace', 'a\u0007b\u0008', 'a\\u0007b\\u0008'],
  ['an eight-bit control sequence', '\u009b2J', '\\u009b2J'],
  ['a mark that reorders text', 'abc\u202etxt.exe', 'abc\\u202etxt.exe'],
  ['NUL and DEL', '\u0000\u007f', '\\u0000\\u007f'],
])('%s is shown and not obeyed', (_title, text, shown) => {
  expect(neutralise(text)).toBe(shown);
});

test('line breaks, tabs and carriage returns stay', () => {
  expect(neutralise('a\tb\r\nc\n')).toBe('a\tb\r\nc\n');
});

test('text of all languages and emoji stay', () => {
  expect(neutralise('Grüße 日本語 👩‍🔬')).toBe('Grüße 日本語 👩‍🔬');
});

test('a character that is cut between two chunks arrives whole', () => {
  const filter = new OutputFilter();
  const bytes = Buffer.from('日本');
  expect(filter.pass(bytes.subarray(0, 2)) + filter.pass(bytes.subarray(2))).toBe('日本');
});
