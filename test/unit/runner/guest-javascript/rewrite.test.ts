import { evaluateInGuest, evaluateRows } from './in-guest';

const IMPORTS = {
  'parse.mjs': ['parseProgram'],
  'rewrite.mjs': ['functionSource', 'surveyProgram'],
  'module-source.mjs': ['moduleSource'],
};
const OPTIONS = "probe: 'p', shadows: [], kept: Object.keys(inputs), isTypeScript: false";

/** Runs a program as its function; gives what it told of itself. */
function run(text: string, inputs: Readonly<Record<string, unknown>> = {}): string {
  return `((text, inputs) => {
    const { tree, goal } = parseProgram(text);
    const { source } = functionSource(text, { tree, isAsync: false, ${OPTIONS} });
    const p = { inputs, read: undefined, value: undefined, returned: undefined };
    (0, eval)(source)(p, {}, null, {}, '/f', '/').call({});
    const read = () => { try { return p.read(); } catch (error) { return error.name; } };
    return { goal, value: p.value, returned: p.returned, result: read(), lines: source.split('\\n').length };
  })(${JSON.stringify(text)}, ${JSON.stringify(inputs)})`;
}

/** The text of the module that a program becomes. */
function moduleOf(text: string, options = ''): string {
  return `((text, inputs) => {
    const { tree } = parseProgram(text);
    return moduleSource(text, { tree, ${OPTIONS}, ${options} }).source;
  })(${JSON.stringify(text)}, {})`;
}

const PROGRAMS: readonly (readonly [title: string, text: string, told: object, inputs?: object])[] = [
  ['the last expression is a value', 'const a = 20;\na * 2 + 2', { value: 42 }],
  ['an only expression is a value', '// why\n({ a: 1 }) // that', { value: { a: 1 } }],
  ['an expression in parentheses is a value', '(1, 2 /* ) */)', { value: 2 }],
  ['an assignment is a value', 'let x;\nx = [1]', { value: [1] }],
  ['a template is a value', '`a${1}`', { value: 'a1' }],
  ['functions below the last expression do not count', 'f();\nfunction f() { return 7; }', { value: 7 }],
  ['a statement without semicolon before it ends there', 'const a = 1\n;[1, 2].map((x) => x + a)', { value: [2, 3] }],
  ['the last expression of a block is a value', '{ 4; 5; }', { value: 5 }],
  ['so is that of a branch', 'if (false) 4; else if (true) { 5; } else 6;', { value: 5 }],
  ['so is that of a branch in parentheses', 'if (true) { 4\n;(5, 6) }', { value: 6 }],
  ['so is that of what was tried', 'try { null.x; } catch { 5 } finally { 6 }', { value: 5 }],
  ['so is that of a case', 'switch (2) { case 1: 4; break; case 2: { 5; break; } default: 6 }', { value: 5 }],
  ['so is that of a labelled block', 'a: { 5; break a; }', { value: 5 }],
  ['a loop is no value', 'for (let i = 0; i < 3; i++) i;', {}],
  ['a block that is an object is that object', 'const a = 1, b = 2;\n{ a, b }', { value: { a: 1, b: 2 } }],
  ['so is a program that is an object', '{ "a": 1, "b": [2] }', { value: { a: 1, b: [2] } }],
  ['a block that only looks like an object runs', 'let a;\n{ if (true) { a = 5 } }', { value: 5 }],
  ['comments around it do not matter', '// a\n{ "a": 1, b: 2 } // b', { value: { a: 1, b: 2 } }],
  ['a chain of branches may be long', `${'if (false) 1; else '.repeat(3000)}5`, { value: 5 }],
  ['a text alone is a value', '"hello"', { value: 'hello' }],
  ['the directive for strict code is no value', '"use strict"', {}],
  ['an empty program is no value', '', {}],
  ['what is returned at the top level is told', 'if (true) { return { a: 1 }; }\nreturn 2;', { returned: { a: 1 } }],
  ['a return of a commented value keeps its comments', 'return ( // why\n 5 /* five */ )', { returned: 5 }],
  ['a return in a function is not the program’s', '[1].map((x) => { return x; })', { value: [1] }],
  ['result is read however it is declared', 'const result = 1;', { result: 1 }],
  [
    'result is read in a program that ends before it',
    'return 1; let result = 2;',
    { returned: 1, result: 'ReferenceError' },
  ],
  [
    'a strict program stays strict',
    '"use strict";\nvar result = (function () { return this === undefined; })();',
    { result: true },
  ],
  [
    'var of an input’s name begins with the input',
    'var a = a || 9; var b = b || 8; [a, b]',
    { value: [1, 8] },
    { a: 1 },
  ],
  ['let of an input’s name does not clash', 'let a = 5; a', { value: 5 }, { a: 1 }],
  ['names of a module may be declared', 'const module = 1, exports = 2, require = 3; module', { value: 1 }],
  ['a first line for the shell is a comment', '#!/usr/bin/env node\n5', { value: 5 }],
  ['a comment at the end does not hide anything', '5 // five', { value: 5 }],
];

describe('what a program tells of itself', () => {
  const rows = evaluateRows(IMPORTS, PROGRAMS, ([, text, , inputs]) => run(text, { ...inputs }));
  test.each(rows)('%s', (_, [, , told], { value, error }) => {
    expect(error).toBeUndefined();
    expect(value).toMatchObject(told);
    expect(value).toEqual({ ...told, goal: 'function', lines: expect.any(Number), result: expect.anything() });
  });
});

const GOALS: readonly (readonly [title: string, text: string, goal: string])[] = [
  ['require alone is CommonJS', 'const fs = require("fs");', 'function'],
  ['a dynamic import is CommonJS', 'import("fs").then(() => 1);', 'function'],
  ['await at the top level', 'const a = await f();', 'async'],
  ['for await at the top level', 'for await (const a of b) c(a);', 'async'],
  ['await using in a block', '{ await using a = b; }', 'async'],
  ['await using at the top level', 'await using a = b;', 'async'],
  ['using at the top level', 'using a = b;', 'function'],
  ['await in the key of a class member', 'class A { [await k]() {} }', 'async'],
  ['await in a function only', 'async () => { await f(); };', 'function'],
  ['await in a field of a class only', 'class A { b = async () => await c; static { d; } }', 'function'],
  ['await in an object that is the program', '{ a: await b, c: 1 }', 'async'],
  ['await as a name', 'var await = 1; await + 1;', 'function'],
  ['a call of await awaits', 'await (async () => 1)();', 'async'],
  ['a static import', 'import fs from "fs";', 'module'],
  ['an export', 'export const a = 1;', 'module'],
  ['import.meta', 'console.log(import.meta.url);', 'module'],
  ['import in a string or comment is none', '// import a from "a"\n"export default 1";', 'function'],
];

describe('the goal of a program', () => {
  const rows = evaluateRows(IMPORTS, GOALS, ([, text]) => `parseProgram(${JSON.stringify(text)}).goal`);
  test.each(rows)('%s', (_, [, , goal], { value }) => {
    expect(value).toBe(goal);
  });
});

/** Columns of `boom` in the written source, and what they were: for a function by V8's own offset, then by ours. */
function columnsOf(text: string, goal: 'function' | 'module'): string {
  return `((text) => {
    const { tree } = parseProgram(text);
    const options = { tree, isAsync: false, ${OPTIONS.replace('Object.keys(inputs)', '[]')} };
    const written = ${goal === 'function' ? 'functionSource' : 'moduleSource'}(text, options);
    const lines = written.source.split('\\n');
    lines[0] = lines[0].slice(written.shift ?? 0);
    return lines.flatMap((line, index) => {
      const column = line.indexOf('boom') + 1;
      return column === 0 ? [] : [[index + 1, written.originalColumn(index + 1, column)]];
    });
  })(${JSON.stringify(text)})`;
}

describe('places', () => {
  const [shifted, columns] = evaluateInGuest(IMPORTS, [
    `((text) => {
      const { tree } = parseProgram(text);
      const { source, shift } = functionSource(text, { tree, ${OPTIONS.replace('Object.keys(inputs)', '[]')} });
      return source.slice(shift).startsWith(text);
    })('const a = 1;')`,
    `((text) => {
      const { tree } = parseProgram(text);
      const { source } = functionSource(text, { tree, ${OPTIONS.replace('Object.keys(inputs)', '[]')} });
      return source.split('\\n').slice(1, 4);
    })('a();\\nb();\\nc(\\n  d)')`,
  ]);

  test('all that is put in front of a program is on its first line', () => {
    expect(shifted?.value).toBe(true);
  });

  test.each([
    ['a(); boom', 'function', [[1, 6]]],
    ['a();\nb(); c(\nboom)', 'function', [[3, 1]]],
    ['a();\nb(); return boom;', 'function', [[2, 13]]],
    ['import "a"; boom', 'module', [[1, 13]]],
    ['import "a";\n b(); boom', 'module', [[2, 7]]],
    ['import { a } from "a"; boom;\nreturn a', 'module', [[1, 24]]],
  ] as const)('columns of %j as a %s are found', (text, goal, found) => {
    const [evaluated] = evaluateInGuest(IMPORTS, [columnsOf(text, goal)]);
    expect(evaluated).toEqual({ value: found });
  });

  test('lines of the last expression keep their columns', () => {
    expect(columns?.value).toEqual(['b();;p.value=(', 'c(', '  d))']);
  });
});

describe('a program as a module', () => {
  const rows = evaluateInGuest(IMPORTS, [
    moduleOf('import a from "a";\na()'),
    moduleOf(
      'import a, { b as c, "d e" as f } from "a" with { type: "json" };\nc();',
      'byDefault: new Set([tree.body[0]])',
    ),
    moduleOf(
      'import {\n  a,\n  B,\n} from "a";\nimport { C } from "c";\nimport "d";\na({ B: 1 }, x.C);',
      'isTypeScript: true',
    ),
    moduleOf(
      'import { a } from "a";\nexport default function f() {}\nexport const g = 1;\nexport { g as h };\nreturn a;',
    ),
    moduleOf('const x = 1;\nexport { x as result };'),
    moduleOf('import "a";\nconst r = require("b"), module = 1;'),
    moduleOf('import a, * as b from "a";\nb();', 'byDefault: new Set([tree.body[0]])'),
    moduleOf('import { } from "types";\nimport "b";', 'isTypeScript: true'),
  ]);
  const lines = rows.map(({ value }) => String(value).split('\n'));

  test('reads its result from the first line on and has the program’s name', () => {
    expect(lines[0]).toEqual(['p.read=()=>result;import a from "a";;p.value=(', 'a())', '//# sourceURL=<code>', '']);
  });

  test('takes names from the default export where it must', () => {
    expect(lines[1]?.[0]).toBe(
      'const {"b":c,"d e":f}=__default0;p.read=()=>result;' +
        'import a,{default as __default0} from "a" with {type:"json"};;p.value=(',
    );
  });

  test('leaves out what TypeScript uses as a type only, and no line with it', () => {
    expect(lines[2]).toEqual([
      'p.read=()=>result;import {a as a} from "a";',
      '',
      '',
      '',
      '',
      'import "d";;p.value=(',
      'a({ B: 1 }, x.C));',
      '//# sourceURL=<code>',
      '',
    ]);
  });

  test('becomes a function where it returns', () => {
    expect(lines[3]).toEqual([
      'import {a as a} from "a";await(async()=>{p.read=()=>result;',
      'function f() {}',
      'const g = 1;',
      '',
      'return p.returned=(a);',
      '})();',
      '//# sourceURL=<code>',
      '',
    ]);
  });

  test('may export its result', () => {
    expect(lines[4]?.[0]).toContain('p.read=()=>x;');
  });

  test('finds what CommonJS has under the names it does not declare', () => {
    expect(lines[5]?.[0]).toContain('const {require}=p.names;');
  });

  test('takes all of a package from its default export where it must', () => {
    expect(lines[6]?.[0]).toBe(
      'const b=__default0;p.read=()=>result;import a,{default as __default0} from "a";;p.value=(',
    );
  });

  test('leaves out imports that were all types', () => {
    expect(lines[7]?.slice(0, 2)).toEqual(['p.read=()=>result;', 'import "b";']);
  });
});
