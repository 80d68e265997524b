import { BOUNDS } from '../../../src/contract';
import { parseReport, type Report } from '../../../src/runner/report';
import { reportOf } from './scripted-guest';

const RESULT_BYTES = 16 * 1024 * 1024;

function parse(header: object, result?: string): Report {
  return parseReport(reportOf(header, result), false);
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

test('no report is no result and no error', () => {
  expect(parseReport(Buffer.alloc(0), false)).toEqual({ resultJson: undefined, error: undefined, warnings: [] });
});

test.each(['null', '0', '"text"', '[]', '{"a":{"b":[1.5,true,null]}}', ' {"spaced" : 1}\n', '{"a":1,"a":2}'])(
  'the result %s is taken as it is',
  (json) => {
    expect(parse({}, json)).toMatchObject({ resultJson: json, error: undefined });
  },
);

test('a report without a result has none, whatever follows', () => {
  expect(parse({ hasResult: false }, '{"a":1}')).toMatchObject({ resultJson: undefined, error: undefined });
});

test('R42: names that programs attack with stay data', () => {
  const json = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  const { resultJson } = parse({}, json);
  expect(resultJson).toBe(json);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  const header = Buffer.from('{"v":1,"hasResult":false,"error":null,"warnings":[],"__proto__":{"polluted":true}}\n');
  expect(parseReport(header, false).error).toBeUndefined();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test.each([
  ['"a\\ud800b"', 'a\ufffdb'],
  ['"\\udc00"', '\ufffd'],
  ['"\\ud83d\\ude00"', '😀'],
  ['"\\uD83D\\uDE00\\uD83D"', '😀\ufffd'],
  ['"\\\\ud800"', '\\ud800'],
  ['"\\\\\\ud800"', '\\\ufffd'],
  ['"\\uD83D\\ud83d\\uDE00\\uDE00"', '\ufffd😀\ufffd'],
  ['"\\ud83d\\\\ude00"', '\ufffd\\ude00'],
])('half of a pair in %s is replaced', (json, value) => {
  expect(JSON.parse(parse({}, json).resultJson ?? '')).toBe(value);
});

test('R22: a result may nest as deep as inputs may, and no deeper', () => {
  expect(parse({}, nested(201)).error).toBeUndefined();
  expect(parse({}, nested(202)).error?.message).toContain('nests deeper than 200 levels');
  expect(parse({}, nested(5_000_000)).error?.message).toContain('nests deeper than 200 levels');
});

test('R22: a result may have as many elements as are allowed, and no more', () => {
  const list = (elements: number, element: string): string => `[${Array(elements).fill(element).join()}]`;
  const { resultElements } = BOUNDS;
  expect(parse({}, list(resultElements, '0')).error).toBeUndefined();
  expect(parse({}, list(resultElements, '{}')).error).toBeUndefined();
  const tooMany = [
    list(resultElements + 1, '0'),
    list(resultElements + 1, '[]'),
    list(6_000, '['.repeat(190) + ']'.repeat(190)),
  ];
  for (const json of tooMany)
    expect(parse({}, json).error?.message).toContain(`has more than ${resultElements} elements`);
});

test('brackets and commas in strings do not count', () => {
  const json = JSON.stringify(['['.repeat(1_000), '\\"[['.repeat(300), ','.repeat(2_000_000)]);
  expect(parse({}, json).resultJson).toBe(json);
});

test.each([
  ['no line', Buffer.from('{"v":1}'), 'no header line'],
  ['a header line without an end', Buffer.alloc(600_000, 'x'), 'no header line'],
  ['a header that is no JSON', Buffer.from('hello\n'), 'its header'],
  ['a header that is a list', Buffer.from('[]\n'), 'its header'],
  ['a header of another version', reportOf({ v: 2 }), 'its header'],
  ['an error of an unknown code', reportOf({ error: { code: 'TIMEOUT', type: 'a', message: 'b' } }), 'its header'],
  ['an error without a message', reportOf({ error: { code: 'RUNTIME_ERROR', type: 'a' } }), 'its header'],
  ['a result that is no JSON', reportOf({}, '{a:1}'), 'not JSON'],
  ['an escape that is none', reportOf({}, '"\\ud8zz"'), 'not JSON'],
  ['half of an escape', reportOf({}, '"\\ud80'), 'not JSON'],
  ['two results', reportOf({}, '1 2'), 'not JSON'],
  ['a number that JSON does not know', reportOf({}, 'NaN'), 'not JSON'],
  ['no result where one was said to be', reportOf({ hasResult: true }), 'not JSON'],
  ['a result that is too large', reportOf({}, `"${'x'.repeat(RESULT_BYTES)}"`), `larger than ${RESULT_BYTES} bytes`],
])('%s is an error of the program', (_, bytes, reason) => {
  const { error, resultJson } = parseReport(bytes, false);
  expect(error).toMatchObject({ code: 'RUNTIME_ERROR', message: expect.stringContaining(reason) });
  expect(error?.message).toMatch(/^The program left a report that is not valid: /);
  expect(resultJson).toBeUndefined();
});

test('R22: a result whose end the guest left out is too large', () => {
  expect(parseReport(reportOf({}, '[1,2'), true).error?.message).toContain('larger than');
});

test('R23: texts of an error are bounded at whole characters, a traceback keeps its end', () => {
  const error = {
    code: 'RUNTIME_ERROR',
    type: 'T'.repeat(1_000),
    message: '😀'.repeat(5_000),
    traceback: `Traceback\n${'  line "x"\n'.repeat(5_000)}ValueError: no`,
  };
  const { error: bounded } = parse({ error });
  expect(bounded?.type).toHaveLength(254);
  expect(Buffer.byteLength(JSON.stringify(bounded?.message)) - 2).toBeLessThanOrEqual(4_096);
  expect(bounded?.message).toMatch(/^(😀)+…$/u);
  expect(Buffer.byteLength(JSON.stringify(bounded?.traceback)) - 2).toBeLessThanOrEqual(16_384);
  expect(bounded?.traceback).toMatch(/^Traceback\n[^]*truncated[^]*ValueError: no$/);
});

test('a line number that is none is left out', () => {
  const error = { code: 'SYNTAX_ERROR', type: 'SyntaxError', message: 'no', line: -1, traceback: 7 };
  expect(parse({ error }).error).toEqual({ code: 'SYNTAX_ERROR', type: 'SyntaxError', message: 'no' });
});

test('half of a pair in a message is replaced', () => {
  const bytes = Buffer.from(
    '{"v":1,"hasResult":false,"error":{"code":"RUNTIME_ERROR","type":"E","message":"a\\ud800"},"warnings":["\\udc00"]}\n',
  );
  expect(parseReport(bytes, false)).toMatchObject({ error: { message: 'a\ufffd' }, warnings: ['\ufffd'] });
});
