/** Modules, TypeScript and the top level of calls. */
import { containing, failed, nothing, result, ts, type Table } from './table';

export const MODULES: Table = [
  [
    'imports are there in later calls',
    [
      'import fs, { existsSync as is } from "node:fs"\nimport * as path from "path"\nis("/") && path.join("a", "b")',
      result('a/b'),
    ],
    ['[typeof fs.readFileSync, is("/no"), path.basename("/x/y")]', result(['function', false, 'y'])],
    ['function name() { return path.basename(__filename); } name()', result('code.js')],
    ['const os = await import("node:os"); const later = () => import("node:util")', nothing],
    ['typeof os.cpus', result('function')],
    ['(await later()).inspect(1)', result('1')],
    ['later().then(({ inspect }) => inspect(2))', result('2')],
    ['typeof require("node:zlib").gzipSync', result('function')],
  ],
  [
    'files beside the program are modules',
    [
      {
        code: 'import * as mine from "./mine.mjs"; import { add } from "./mine.mjs"; add(); mine.n',
        files: { 'mine.mjs': 'export let n = 1; export const add = () => { n += 1; };' },
      },
      result(2),
    ],
    ['(await import("./mine.mjs")).n', result(2)],
    [{ code: 'require("./c.cjs")', files: { 'c.cjs': 'module.exports = [typeof module, 3]' } }, result(['object', 3])],
    [
      '[import.meta.url, import.meta.filename, import.meta.resolve("./a.js")]',
      result(['file:///sandbox/code.js', '/sandbox/code.js', 'file:///sandbox/a.js']),
    ],
    ['const again = () => import.meta.dirname', nothing],
    ['again()', result('/sandbox')],
  ],
  [
    'an import that fails is shown with its line',
    ['let before = 1;\nimport "no-such-package";\nbefore = 2;', failed('Error', 2, 'no-such-package')],
    ['\nimport { nothing } from "node:fs"', failed('SyntaxError', 2, "does not provide an export named 'nothing'")],
    [{ code: 'import "./broken.mjs"', files: { 'broken.mjs': 'let a;\nlet b = ;' } }, failed('SyntaxError')],
    ['1', result(1)],
  ],
  [
    'exports are declarations',
    ['export const a = 1; export function f() { return a; }\nexport default class B {}\nexport { a as c }', nothing],
    ['[a, f(), typeof B]', result([1, 1, 'function'])],
    ['export default (1, 2)', { ...result(2), source: 'expression' }],
    ['export const result = 7', { ...result(7), source: 'variable' }],
    ['const mine = 8; export { mine as result }', { ...result(8), source: 'variable' }],
  ],
  [
    'code with imports is strict, other code is not',
    ['import "fs"; undeclared = 1', failed('ReferenceError', 1)],
    [
      'import "fs"; let declared = 1; var other = declared; (function () { return this; })() === undefined',
      result(true),
    ],
    ['undeclared = 1; declared + other', result(2)],
    ['"use strict"; let mine = 3; function f() { return this === undefined; } f() && mine', result(3)],
  ],
];

export const AWAITED: Table = [
  [
    'the top level awaits',
    ['const v = await Promise.resolve(5); function f() { return v; } v', result(5)],
    ['f() + v', result(10)],
    ['await new Promise((resolve) => setTimeout(resolve, 30)); for await (const x of [1, 2]) var w = x; w', result(2)],
    ['await Promise.reject(new RangeError("no"))', failed('RangeError', 1, 'no')],
    ['const x = 1;\nawait (async () => { await 1; null.y; })()', failed('TypeError', 2)],
    ['await f(), x', result(1)],
  ],
  [
    'the promise that is the result is awaited',
    ['new Promise((resolve) => setTimeout(() => resolve([1]), 30))', result([1])],
    ['let result = Promise.resolve({ a: 1 })', { ...result({ a: 1 }), source: 'variable' }],
    ['[Promise.resolve(1), new Promise((resolve) => setTimeout(resolve, 20, 2))]', result([1, 2])],
    ['({ then(resolve) { resolve(3); } })', result(3)],
    ['Promise.reject(new TypeError("r"))', failed('TypeError', 1, 'r')],
    ['return new Promise((resolve) => setImmediate(resolve, 4))', { ...result(4), source: 'return' }],
  ],
  [
    'what can never come ends the call, not the session',
    [
      'let a = 1;\nawait new Promise(() => {});\na = 2',
      { exitCode: 13, error: expect.objectContaining({ type: 'UnsettledTopLevelAwait', line: 2 }) },
    ],
    ['a', result(1)],
    ['new Promise(() => {})', { exitCode: 0, hasResult: false, warnings: [containing('did not settle')] }],
    ['a', result(1)],
    [
      'const timer = setInterval(() => {}, 1000); [new Promise(() => {})]',
      { hasResult: false, warnings: [containing('did not settle')] },
    ],
    ['clearInterval(timer); a', result(1)],
  ],
];

export const TYPESCRIPT: Table = [
  [
    'types are removed, and what enums and namespaces declare stays',
    [ts('interface A { b: number }\nconst a: A = { b: 1 }\nenum Color { Red, Green = "g" }\na.b'), result(1)],
    [
      ts('namespace N { export const m: number = 5; }\n[Color.Red, Color.Green, N.m, (a as any).b]'),
      result([0, 'g', 5, 1]),
    ],
    [ts('class P { constructor(public q: number) {} }\nnew P(3).q'), result(3)],
    [ts('const p: P = new P(4);\n\n(p as any).no.thing'), failed('TypeError', 3)],
    [
      ts('enum E { A }\n\n\nfunction fail(): never {\n  throw new Error("in ts")\n}\nfail()'),
      failed('Error', 5, 'in ts'),
    ],
    [ts('const bad: number = ;'), failed('SyntaxError', 1)],
    [ts('if (a.b === 1) return E.A as number;\n5'), { ...result(0), source: 'return' }],
    ['[Color.Red, a.b]', result([0, 1])],
    [ts('enum Color { Blue }\nObject.keys(Color)'), result(['0', 'Blue'])],
  ],
  [
    'an import that is used later is kept, and one of types is none',
    [
      ts(
        'import { basename } from "node:path";\nimport { Type } from "no-such-types";\nimport type { Other } from "none";',
      ),
      nothing,
    ],
    [ts('basename("/a/b")'), result('b')],
    [
      {
        ...ts('import { n, T } from "./typed"; n as T'),
        files: { 'typed.ts': 'export type T = number; export const n: T = 6;' },
      },
      result(6),
    ],
    [ts('export type U = string; export const u: U = "u"; const w = await Promise.resolve<number>(2); w'), result(2)],
    [ts('u'), result('u')],
  ],
];
