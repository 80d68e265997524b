import { evaluateRows } from './in-guest';

const IMPORTS = {
  'parse.mjs': ['parseProgram'],
  'session-declarations.mjs': ['constantNames'],
  'session-source.mjs': ['callSource'],
};

/** The two texts that a call becomes, without what is in front of them. */
function sourcesOf(text: string): string {
  return `((text) => {
    const { tree, goal } = parseProgram(text);
    const options = { tree, isAsync: goal !== 'function', isStrict: false, probe: 'p', shadows: [] };
    const { body, functions } = callSource(text, { ...options, constants: constantNames(tree) });
    return { body: body.source.slice(body.shift, -'\\n}})'.length), functions: functions?.source };
  })(${JSON.stringify(text)})`;
}

const blank = (length: number): string => ' '.repeat(length);

const CALLS: readonly (readonly [title: string, text: string, body: string, functions?: string])[] = [
  ['constants are assigned', 'const a = 1, { b } = c', 'void ( a = 1, { b } = c);'],
  ['let without a value is undefined', 'let a, b = 2;', 'void ( a=void 0, b = 2);'],
  ['var without a value stays what it was', 'var a', 'void ( a);'],
  ['var in the head of a loop is no declaration', 'for (var i = 0; i < 1; i++);', 'for (    i = 0; i < 1; i++);'],
  ['var in a block is assigned', 'for (var [a] of b) { var c = 1 }', 'for (    [a] of b) { void ( c = 1); }'],
  ['let in a block is left alone', '{ let a = 1; a; }', '{ let a = 1;;p.value=( a); }'],
  ['var in a branch leaves it one statement', 'if (a) var b = 1; else c()', 'if (a) void ( b = 1); else p.value=(c())'],
  ['classes are assigned', 'class A {}\nlet b', 'void (A=class A {});\nvoid ( b=void 0);'],
  [
    'functions are a text of their own, on their own lines',
    'a();\nfunction f() {\n  return 1;\n}\nf()',
    `a();\n;${blank(13)}\n${blank(11)}\n ;p.value=(\nf())`,
    `${blank(4)}\nfunction f() {\n  return 1;\n}\n${blank(3)}`,
  ],
  [
    'assignments to constants are refused',
    'const k = 1; k = 2; k++',
    'void ( k = 1); k = p.refuse((2));;p.value=( p.refuse(k))',
  ],
  [
    'a name that is declared once more below is not',
    'const k = 1; (k) => { k = 2; };',
    'void ( k = 1);;p.value=( (k) => { k = 2; });',
  ],
  [
    'nor is it in functions',
    'const k = 1;\nfunction f() { k = 2; }',
    `void ( k = 1);\n;${blank(22)}`,
    `${blank(12)}\nfunction f() { k = p.refuse((2)); }`,
  ],
  ['imports are left out', 'import a from "b";\na', ';;p.value=(\na)'],
  ['what is exported is declared', 'export const a = 1', 'void ( a = 1);'],
  ['lists of exports are left out', 'let a = 1;\nexport {\n  a\n}', 'void ( a = 1);\n;\n\n'],
  ['what is exported by default is told', 'export default (1, 2);', ';p.exported=( (1, 2));;'],
  ['import.meta is told', 'let a = 1;\nimport.meta.url', 'void ( a = 1);;p.value=(\np.meta.url)'],
];

describe('a call of a session', () => {
  const rows = evaluateRows(IMPORTS, CALLS, ([, text]) => sourcesOf(text));
  test.each(rows)('%s', (_, [, text, body, functions], { value, error }) => {
    expect(error).toBeUndefined();
    expect(value).toEqual({ body, functions });
    expect(body.split('\n')).toHaveLength(text.split('\n').length);
  });
});
