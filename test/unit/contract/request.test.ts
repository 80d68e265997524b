import { BOUNDS, executionRequestSchema } from '../../../src/contract';

const BASE = { language: 'python', code: '1' } as const;

/** The first complaint about a request, as `path: message`; undefined when there is none. */
function complaint(request: unknown): string | undefined {
  const issue = executionRequestSchema.safeParse(request).error?.issues[0];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}

describe('the program', () => {
  test('is code or codeFile, exactly one', () => {
    expect(complaint(BASE)).toBeUndefined();
    expect(complaint({ language: 'shell', codeFile: 'p.sh' })).toBeUndefined();
    expect(complaint({ language: 'shell' })).toBe('code: exactly one of code and codeFile is needed');
    expect(complaint({ ...BASE, codeFile: 'p.py' })).toMatch(/exactly one/);
  });

  test('may be empty', () => expect(complaint({ ...BASE, code: '' })).toBeUndefined());

  test('is bounded in bytes, with the advice to use a file', () => {
    expect(complaint({ ...BASE, code: 'x'.repeat(BOUNDS.codeBytes) })).toBeUndefined();
    expect(complaint({ ...BASE, code: 'é'.repeat(BOUNDS.codeBytes / 2 + 1) })).toMatch(/code: .*codeFile/);
  });

  test('is of a known language', () => expect(complaint({ ...BASE, language: 'ruby' })).toMatch(/^language:/));
});

test.each(['timeoutMs', 'memory', '__proto__x', 'resourcelimits'])(
  'R01: an unknown key such as %s is refused',
  (key) => {
    expect(complaint({ ...BASE, [key]: 1 })).toContain(key);
  },
);

describe('inputData', () => {
  test('is an object of JSON', () => {
    expect(complaint({ ...BASE, inputData: { a: [1, null, { b: 'x' }] } })).toBeUndefined();
    for (const inputData of [null, [], 'x', 1]) expect(complaint({ ...BASE, inputData })).toMatch(/must be an object/);
  });

  test.each([
    ['NaN', { a: Number.NaN }],
    ['a function', { a: () => 1 }],
    ['a bigint', { a: 1n }],
    ['a symbol', { a: Symbol('x') }],
  ])('that holds %s is refused', (_title, inputData) => {
    expect(complaint({ ...BASE, inputData })).toMatch(/which JSON does not know/);
  });

  test('is bounded in bytes, with the advice to use a file', () => {
    expect(complaint({ ...BASE, inputData: { a: 'x'.repeat(BOUNDS.inputDataBytes) } })).toMatch(/inputFiles/);
  });

  test('is bounded in depth, without overflowing the stack', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(complaint({ ...BASE, inputData: { deep } })).toMatch(/nests deeper than 200 levels/);
  });

  test('that refers to itself is refused', () => {
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    expect(complaint({ ...BASE, inputData: loop })).toMatch(/nests deeper/);
  });

  test('names its bad name', () => {
    expect(complaint({ ...BASE, inputData: { 'a\n': 1 } })).toMatch(/name "a\\n" holds a control character/);
  });
});

describe('files', () => {
  test('two input files must not lie in one place', () => {
    const inputFiles = [{ path: 'a.csv' }, { path: 'b.csv', sandboxPath: '/sandbox/a.csv' }];
    expect(complaint({ ...BASE, inputFiles })).toBe('inputFiles.1: two input files lie at a.csv');
  });

  test('two spellings of one name are one place', () => {
    const inputFiles = [{ path: 'caf\u00e9' }, { path: 'cafe\u0301' }];
    expect(complaint({ ...BASE, inputFiles })).toMatch(/two input files/);
  });

  test('a variable is given once', () => {
    const inputFiles = [{ path: 'a.csv', variableName: 'x' }];
    expect(complaint({ ...BASE, inputData: { x: 1 }, inputFiles })).toBe('inputFiles.0.variableName: x is given twice');
  });

  test('a folder as the destination keeps its slash', () => {
    const outputFiles = [{ sandboxPath: '*.csv', workspacePath: 'out/' }];
    expect(executionRequestSchema.parse({ ...BASE, outputFiles }).outputFiles).toEqual(outputFiles);
  });

  test.each(['/', '../x', 'a//b', '/abs/'])('%p is no destination', (workspacePath) => {
    expect(complaint({ ...BASE, outputFiles: [{ sandboxPath: 'a', workspacePath }] })).toMatch(/^outputFiles\.0/);
  });

  test('R27: there is a bound to their number', () => {
    const inputFiles = Array.from({ length: BOUNDS.inputFiles + 1 }, (_, index) => ({ path: `f${index}` }));
    expect(complaint({ ...BASE, inputFiles })).toMatch(/^inputFiles:/);
  });
});

test('the whole request fits into a payload', () => {
  const request = { ...BASE, code: '\u0001'.repeat(400_000) };
  expect(complaint(request)).toMatch(
    /request has \d+ bytes, a payload allows 1900000; put code and data into workspace files/,
  );
});

test('optional keys may be undefined', () => {
  expect(complaint({ ...BASE, codeFile: undefined, inputData: undefined, timeout: undefined })).toBeUndefined();
});
