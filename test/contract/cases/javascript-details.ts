import type { LanguageCase } from './case';

/** Corners of the language and of Node that programs count on. */
export const JAVASCRIPT_DETAILS: readonly LanguageCase[] = [
  {
    title: 'using and await using hold to the end of the program',
    code: 'const disposable = (name) => ({ name, [Symbol.dispose]: () => console.log(name), [Symbol.asyncDispose]: async () => console.log(name) });\nusing a = disposable("a");\nawait using b = disposable("b");\nconst { name: result } = b;\nconsole.log("body");',
    expect: { result: 'b', stdout: 'body\nb\na\n' },
  },
  {
    title: 'using leaves the last expression what it is',
    code: 'using a = { n: 5, [Symbol.dispose]() {} };\na.n + 1',
    expect: { result: 6 },
  },
  {
    title: 'the last expression may stand in a branch',
    code: 'async function main() { return { done: true }; }\nif (require.main === module) {\n  main();\n}',
    expect: { result: { done: true } },
  },
  {
    title: 'an error in the last block has its column',
    code: 'const o = {};\ntry {\n  o.a.b;\n} finally {\n  console.log("end");\n}',
    expect: { errorLine: 3, tracebackIncludes: ['<code>:3:7'], stdout: 'end\n' },
  },
  { title: 'an object alone is the result', code: '{ "a": 1, "b": [2] }', expect: { result: { a: 1, b: [2] } } },
  { title: 'a default export is the result', code: 'export default { a: await 1 };', expect: { result: { a: 1 } } },
  {
    title: 'a result that is exported from another module is the result',
    code: 'export { result } from "./m.mjs";',
    files: { 'm.mjs': 'export const result = [1];' },
    request: { inputFiles: [{ path: 'm.mjs' }] },
    expect: { result: [1] },
  },
  {
    title: 'iterators are their items',
    code: 'function* count() { yield 1; yield { a: 2 }; }\nresult = [count(), new Map([["k", 1]]).keys(), [1, 2].values().map((n) => n * 2)];',
    expect: { result: [[1, { a: 2 }], ['k'], [2, 4]] },
  },
  {
    title: 'a generator without end is a clear error',
    code: 'function* count() { for (let i = 0; ; i++) yield i; }\nresult = count();',
    expect: { exitCode: 1, errorType: 'RangeError', errorMessageIncludes: ['more than 1000000 elements'] },
  },
  {
    title: 'an async iterator says what to do with it',
    code: 'result = { a: (async function* () { yield 1; })() };',
    expect: { exitCode: 1, errorMessageIncludes: ['result.a is an async iterator', 'Array.fromAsync'] },
  },
  {
    title: 'code that is evaluated is placed where the program called it',
    code: 'const f = new Function("a", "return a.b.c");\n\n  f({});',
    expect: { errorType: 'TypeError', errorLine: 3, tracebackIncludes: ['(<code>:1:11)', '<code>:3:3'] },
  },
  {
    title: 'an error from Node’s inside has the line that awaited it',
    code: 'const url = "http://example.com/";\n\nconst response = await fetch(url);',
    expect: { exitCode: 1, errorType: 'TypeError', errorLine: 3, errorMessageIncludes: ['fetch failed'] },
  },
  {
    title: 'a rejection with what is no error says with what',
    code: 'Promise.reject({ code: "E_X" });',
    expect: { exitCode: 1, errorCode: 'RUNTIME_ERROR', errorMessageIncludes: ["code: 'E_X'"] },
  },
  {
    title: 'globals may be deleted',
    code: 'result = [1];\nfor (const name of ["process", "console", "Buffer", "Map", "JSON"]) delete globalThis[name];',
    expect: { exitCode: 0, result: [1] },
  },
  {
    title: 'a revoked proxy may be thrown',
    code: 'const { proxy, revoke } = Proxy.revocable({}, {});\nrevoke();\nthrow proxy;',
    expect: { exitCode: 1, errorCode: 'RUNTIME_ERROR' },
  },
  {
    title: 'packages are imported whole, by default and by name',
    code: 'import * as _ from "lodash";\nimport * as dayjs from "dayjs";\nimport CryptoJS, * as All from "crypto-js";\nimport * as fns from "date-fns";\nresult = [_.sum([1, 2]), dayjs(0).year(), All.MD5 === CryptoJS.MD5, typeof fns.addDays];',
    expect: { result: [3, 1970, true, 'function'] },
  },
  {
    title: 'modules are found without their extension',
    code: 'import utc from "dayjs/plugin/utc";\nimport { a } from "./lib/a";\nimport { b } from "./b";\nconst { default: get } = await import("lodash/get");\nresult = [typeof utc, a, b, get({ c: 3 }, "c")];',
    files: { 'lib/a.js': 'export const a = 1;', 'b/index.js': 'export const b = 2;' },
    request: { inputFiles: [{ path: 'lib/a.js' }, { path: 'b/index.js' }] },
    expect: { result: ['function', 1, 2, 3] },
  },
  {
    title: 'an import that nothing answers keeps Node’s words',
    code: 'import fs from "fs";\nimport x from "https://example.com/x.js";',
    expect: { exitCode: 1, errorLine: 2, errorMessageIncludes: ["Received protocol 'https:'"] },
  },
  {
    title: 'the main module is named as Node names it',
    code: 'result = [module.id, require.main === module, module.filename === __filename];',
    expect: { result: ['.', true, true] },
  },
  {
    title: 'arguments are a list, errors of several have them',
    code: 'result = [(function () { return arguments; })(1, "a"), new AggregateError([new RangeError("r")], "all")];',
    expect: {
      result: [[1, 'a'], { name: 'AggregateError', message: 'all', errors: [{ name: 'RangeError', message: 'r' }] }],
    },
  },
  {
    title: 'circular modules see each other as Node lets them',
    code: 'const { g } = await import("./b.mjs");\nresult = [require("./a.js"), g()];',
    files: {
      'a.js': 'exports.x = 1; exports.y = require("./c.js").z;',
      'c.js': 'exports.z = require("./a.js").x + 1;',
      'b.mjs': 'import { f } from "./d.mjs"; export const b = "b"; export const g = () => f();',
      'd.mjs': 'import { b } from "./b.mjs"; export const f = () => b + "!";',
    },
    request: { inputFiles: [{ path: 'a.js' }, { path: 'c.js' }, { path: 'b.mjs' }, { path: 'd.mjs' }] },
    expect: { result: [{ x: 1, y: 2 }, 'b!'] },
  },
];

/** Corners of TypeScript. */
export const TYPESCRIPT_DETAILS: readonly LanguageCase[] = [
  {
    title: 'imports of types alone need no module',
    code: 'import { type A, type B } from "./nowhere.js";\nimport { f } from "./f";\nconst a: A | B = 1;\nexport const result = f(a);',
    files: { 'f.ts': 'import { type C } from "./nowhere";\nexport const f = (c: C): C => c;\n' },
    request: { inputFiles: [{ path: 'f.ts' }] },
    expect: { result: 1 },
  },
  {
    title: 'a semicolon that guards a line survives the type above it',
    code: 'let x = 1\ntype T = number\n;(function () { x = 2 })()\nx',
    expect: { result: 2 },
  },
  {
    title: 'using stands beside enums',
    code: 'enum E { A = 4 }\nusing x = { v: E.A, [Symbol.dispose](): void { console.log("end"); } };\nconst result: number = x.v;',
    expect: { result: 4, stdout: 'end\n' },
  },
  {
    title: 'packages are imported as TypeScript’s users do',
    code: 'import * as _ from "lodash";\nimport * as he from "he";\nimport utc from "dayjs/plugin/utc";\nconst result: unknown[] = [_.chunk([1, 2, 3], 2), he.encode("<"), typeof utc];',
    expect: { result: [[[1, 2], [3]], '&#x3C;', 'function'] },
  },
  {
    title: 'namespaces merge with each other, classes and functions',
    code: 'namespace A.B { export const x = 1; }\nnamespace A { export namespace B { export const y = B.x + 1; } }\nclass K { static z = 3 } namespace K { export const w = 4; }\nfunction f() { return 5; } namespace f { export const p = 6; }\nresult = [A.B.x, A.B.y, K.z, K.w, f(), f.p];',
    expect: { result: [1, 2, 3, 4, 5, 6] },
  },
  {
    title: 'places behind what was transformed are those of the source',
    code: 'enum E { A = 1 }\nclass P { constructor(private x: number) {} boom(): never { throw new Error("no " + this.x); } }\n  new P(E.A).boom();',
    expect: { errorLine: 2, tracebackIncludes: ['<code>:2:67', '<code>:3:14'] },
  },
];
