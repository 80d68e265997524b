import { evaluateInGuest, evaluateRows } from './in-guest';

const IMPORTS = {
  'stack-text.mjs': ['cleanStack', 'ownPlace', 'showPlace'],
  'errors.mjs': ['describeError', 'describeSyntaxError'],
  'parse.mjs': ['parseProgram'],
  'syntax-fault.mjs': ['faultOf'],
  'report.mjs': ['encodeReport'],
};

const STACKS: readonly (readonly [title: string, stack: readonly string[], cleaned: readonly string[]])[] = [
  [
    'frames of Node’s inside are left out',
    ['Error: a', '    at f (<code>:2:3)', '    at process.processTicksAndRejections (node:internal/process/x:1:2)'],
    ['Error: a', '    at f (<code>:2:3)'],
  ],
  [
    'what Node calls for the program stays above the program’s frames',
    ['Error: a', '    at readFileSync (node:fs:1:2)', '    at <code>:2:3', '    at emit (node:events:1:2)'],
    ['Error: a', '    at readFileSync (node:fs:1:2)', '    at <code>:2:3'],
  ],
  [
    'braces that open behind a dropped frame stay open',
    ['Error: a', '    at <code>:2:3', '    at emit (node:events:1:2) {', "  code: 'E',", '  [cause]: Error: b', '}'],
    ['Error: a', '    at <code>:2:3 {', "  code: 'E',", '  [cause]: Error: b', '}'],
  ],
  [
    'places that Node mapped back to TypeScript are the program’s',
    ['Error: a', '    at f (/sandbox/<code>:2:3)', '    at <anonymous> (/sandbox/<code>:4:5)'],
    ['Error: a', '    at f (<code>:2:3)', '    at <code>:4:5'],
  ],
  [
    'staged modules are named by path',
    ['Error: a', '    at file:///sandbox/a.mjs:1:2'],
    ['Error: a', '    at /sandbox/a.mjs:1:2'],
  ],
];

describe('a stack', () => {
  const rows = evaluateRows(IMPORTS, STACKS, ([, stack]) => `cleanStack(${JSON.stringify(stack.join('\n'))})`);
  test.each(rows)('%s', (_, [, , cleaned], { value }) => {
    expect(value).toBe(cleaned.join('\n'));
  });
});

const EVALUATED =
  'Error: a\n    at eval (eval at f (<code>:1:90), <anonymous>:3:12)\n    at f (<code>:1:20)\n    at <code>:2:1';

describe('code that a program evaluates', () => {
  const [shifted, place, only] = evaluateInGuest(IMPORTS, [
    `cleanStack(${JSON.stringify(EVALUATED)}, undefined, 70).split('\\n')[1]`,
    `ownPlace(${JSON.stringify(EVALUATED)})`,
    `ownPlace(${JSON.stringify(EVALUATED.split('\n').slice(0, 2).join('\n'))})`,
  ]);

  test('says from which column of the program it came', () => {
    expect(shifted?.value).toBe('    at eval (eval at f (<code>:1:20), <anonymous>:3:12)');
  });

  test('is placed where the program called it', () => {
    expect(place?.value).toEqual({ line: 1, column: 20 });
  });

  test('is placed where it was made when nothing of the program called it', () => {
    expect(only?.value).toEqual({ line: 1, column: 90 });
  });
});

const THROWN: readonly (readonly [title: string, expression: string, described: object])[] = [
  ['an error', 'new TypeError("a")', { type: 'TypeError', message: 'a' }],
  ['an error of a class without a name', 'new (class Mine extends Error {})("a")', { type: 'Mine', message: 'a' }],
  [
    'an error with a name of its own',
    'Object.assign(new Error("a"), { name: "Mine" })',
    { type: 'Mine', message: 'a' },
  ],
  ['a text', '"a"', { type: 'string', message: "Uncaught 'a'" }],
  ['null', 'null', { type: 'null', message: 'Uncaught null' }],
  ['undefined', 'undefined', { type: 'undefined', message: 'Uncaught undefined' }],
  ['an object that looks like an error', '({ message: "a" })', { type: 'Object', message: 'a' }],
  [
    'an error whose stack throws',
    'Object.defineProperty(new Error("a"), "stack", { get() { throw 1; } })',
    { message: 'a' },
  ],
  [
    'a message that is too long',
    'new Error("a".repeat(1e6))',
    { message: expect.stringContaining('characters left out') as string },
  ],
  ['a name that is too long', 'Object.assign(new Error("a"), { name: "N".repeat(1e6) })', { type: 'N'.repeat(500) }],
];

describe('what was thrown', () => {
  const rows = evaluateRows(IMPORTS, THROWN, ([, expression]) => `describeError(${expression}, [])`);
  test.each(rows)('%s', (_, [, , described], { value }) => {
    expect(value).toMatchObject({ code: 'RUNTIME_ERROR', ...described });
  });
});

describe('an error of the program', () => {
  const [placed, cause, long] = evaluateInGuest(IMPORTS, [
    `((error) => {
      error.stack = 'Error: a\\n    at f (<code>:2:4)\\n    at <code>:3:1';
      return describeError(error, ['x', '\\t  f();', 'y']);
    })(new Error('a'))`,
    `describeError(new Error('a', { cause: new RangeError('b') }), [])`,
    `showPlace('<code>', ['a'.repeat(5000)], { line: 1, column: 2000 })`,
  ]);

  test('has the line of its first frame in the program, with the line and a caret', () => {
    expect(placed?.value).toMatchObject({
      line: 2,
      traceback: '<code>:2\n\t  f();\n\t  ^\n\nError: a\n    at f (<code>:2:4)\n    at <code>:3:1',
    });
  });

  test('shows its cause', () => {
    expect(cause?.value).toMatchObject({ traceback: expect.stringContaining('[cause]: RangeError: b') as string });
  });

  test('shows a window of a long line', () => {
    const [, line, caret] = String(long?.value).split('\n');
    expect(line).toHaveLength(240);
    expect(caret).toBe(`${' '.repeat(120)}^`);
  });
});

const FAULTS: readonly (readonly [title: string, text: string, message: string, line: number, column: number])[] = [
  ['an unexpected sign', 'const a = 1;\nconst b = ;', "Unexpected token ';'", 2, 11],
  ['an unexpected name', 'a b', "Unexpected identifier 'b'", 1, 3],
  ['an unexpected number', 'a 1', 'Unexpected number', 1, 3],
  ['an unexpected text', 'a "b"', 'Unexpected string', 1, 3],
  ['an end that comes too early', 'import "a";\nfunction f() {', 'Unexpected end of input', 2, 15],
  ['a second declaration', 'import "a";\nlet a; let a;', "Identifier 'a' has already been declared", 2, 12],
  ['a decorator', '@a class B {}', 'Decorators are not supported', 1, 1],
];

describe('a program that does not parse', () => {
  const rows = evaluateRows(
    IMPORTS,
    FAULTS,
    ([, text]) => `((text) => {
      const { message, place } = faultOf({ text }, parseProgram(text).fault);
      return describeSyntaxError(message, place, text.split('\\n'));
    })(${JSON.stringify(text)})`,
  );
  test.each(rows)('%s', (_, [, text, message, line, column], { value }) => {
    const described = value as { message: string; line: number; traceback: string };
    expect(described).toMatchObject({ code: 'SYNTAX_ERROR', type: 'SyntaxError', line });
    expect(described.message).toContain(message);
    const [place, source, caret] = described.traceback.split('\n');
    expect([place, source]).toEqual([`<code>:${line}`, text.split('\n')[line - 1]]);
    expect(caret).toBe(`${' '.repeat(column - 1)}^`);
  });

  test('is described in words that fit, however long its own are', () => {
    const [described] = evaluateInGuest(IMPORTS, [`describeSyntaxError('x'.repeat(1e6), undefined, [])`]);
    const { message, traceback } = described?.value as { message: string; traceback: string };
    expect(message).toContain('characters left out');
    expect(traceback).toBe(`SyntaxError: ${message}`);
  });
});

describe('a report', () => {
  const [whole, failed, hostile] = evaluateInGuest(IMPORTS, [
    `encodeReport({ result: '{"a":1}', source: 'variable', error: undefined, warnings: ['w'] }).toString()`,
    `encodeReport({ error: { code: 'C', type: 'T', message: '\\ud800', line: 3, traceback: 't\\n' }, warnings: [] }).toString()`,
    `(() => {
      Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 'evil';
      try { return encodeReport({ result: '1', source: 'return', error: undefined, warnings: ['w'] }).toString(); }
      finally { for (const { prototype } of [Object, Array, String]) delete prototype.toJSON; }
    })()`,
  ]);

  test('is one line, then the result', () => {
    expect(whole?.value).toBe('{"v":1,"hasResult":true,"source":"variable","error":null,"warnings":["w"]}\n{"a":1}');
  });

  test('carries an error, as well-formed text', () => {
    expect(failed?.value).toBe(
      '{"v":1,"hasResult":false,"source":null,"error":{"code":"C","type":"T","message":"\ufffd","line":3,"traceback":"t\\n"},"warnings":[]}\n',
    );
  });

  test('asks no toJSON that a program added', () => {
    expect(hostile?.value).toBe('{"v":1,"hasResult":true,"source":"return","error":null,"warnings":["w"]}\n1');
  });
});
