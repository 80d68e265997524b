/** What calls leave behind for later ones. */
import { failed, nothing, result, type Call, type Table } from './table';

export const STATE: Table = [
  [
    'declarations of every kind are there in later calls',
    ['const a = 1; let b = 2\nvar c = 3; function f() { return a + b + c; }\nclass D { e() { return f(); } }', nothing],
    ['new D().e()', result(6)],
    ['b = 5; f()', result(9)],
    ['let n = 0\nconst next = () => ++n', nothing],
    ['next(); next(); n', result(2)],
    ['n = 10; next()', result(11)],
  ],
  [
    'patterns declare their names',
    ['const { x, y: [z = 4], ...rest } = { x: 1, y: [], p: 2 }, [, last] = [7, 8]\nlet empty, full = 1', nothing],
    ['[x, z, rest, last, empty, full]', result([1, 4, { p: 2 }, 8, null, 1])],
  ],
  [
    'var in blocks and heads of loops is of the session',
    [
      'for (var i = 0, m = 3; i < m; i++);\nfor (var k of [5, 6]);\nfor (var p in { q: 1 }) ;\nif (true) var r = 7\nelse var s = 8',
      nothing,
    ],
    ['[i, m, k, p, r, typeof s]', result([3, 3, 6, 'q', 7, 'undefined'])],
    ['var i; i', result(3)],
    ['let i; typeof i', result('undefined')],
  ],
  [
    'code of every shape stays what it is',
    ['const f = function () {}, g = class {};\n[f.name, g.name]', result(['f', 'g'])],
    [
      'try { var a = 1; throw new Error("z"); } catch ({ message }) { var b = message } finally { var c = 3 }\n[a, b, c]',
      result([1, 'z', 3]),
    ],
    ['switch (c) { case 3: var d = 4; break }\nd', result(4)],
    ['label: for (var e of [1, 2, 3]) { if (e > 1) break label }\ne', result(2)],
    ['function* h() { yield* [1, 2] }\nasync function i() { await 1; return [...h()] }\nawait i()', result([1, 2])],
    ['using j = { [Symbol.dispose]() { console.log("gone") } }; 1', { ...result(1), stdout: 'gone\n' }],
    ['#!/usr/bin/env node\nlet k = 2\nk', result(2)],
    ['let __hourglass = 5; __hourglass + 1', result(6)],
    ['// nothing but words', nothing],
    ['typeof new Function("return f")() + (0, eval)("var l = 4; l") + l', result('function44')],
  ],
  [
    'statements stay apart without semicolons',
    [
      'const f = () => {}\n;[1, 2].forEach((x) => x)\nconst g = 1\n{ const h = 2 }\nlet j = 3;\n/re/.test("re")',
      result(true),
    ],
    ['const a = function () {}\nfunction b() {}\n(1, 2)', result(2)],
    ['let q = () => {}\n(5)', result(5)],
    ['class A {}\n[1].map((x) => x + 1)', result([2])],
    ['do 1; while (false) var after = 5\nafter', result(5)],
  ],
  [
    'what the process keeps is kept',
    [
      'process.env.MINE = "1"; process.chdir("/tmp"); globalThis.g = 3; h = 4; require("fs").mine = 5; this.t = 6; module.exports.u = 7; process.on("x", () => {})',
      { exitCode: 0 },
    ],
    [
      '[process.env.MINE, process.cwd(), g, h, require("fs").mine, this.t, exports.u, process.listenerCount("x")]',
      result(['1', '/tmp', 3, 4, 5, 6, 7, 1]),
    ],
  ],
  [
    'names of a program are those of a module',
    [
      '[__filename, __dirname, require.main === module, typeof exports]',
      result(['/sandbox/code.js', '/sandbox', true, 'object']),
    ],
    ['const require = 1, __filename = "mine"', nothing],
    ['[require, __filename]', result([1, 'mine'])],
  ],
  [
    'what did not parse changes nothing',
    ['let a = 1', nothing],
    ['a = 2;\nfunction a2() {}\nlet b = ;', failed('SyntaxError', 3)],
    ['[a, typeof a2, typeof b]', result([1, 'undefined', 'undefined'])],
    ['let c; let c', failed('SyntaxError', 1)],
    ['{ "a": 1, b }', failed('ReferenceError', 1)],
  ],
  [
    'what came before an error stays',
    ['let a = 1\na = 2\nnull.x\nlet b = 3', failed('TypeError', 3)],
    ['[a, typeof b]', result([2, 'undefined'])],
    ['b', failed('ReferenceError', 1, 'b is not defined')],
  ],
  [
    'names of the platform may be taken',
    [
      'const crypto = require("crypto"), { performance } = require("perf_hooks"); const URL = "u", fetch = 1, process = 2',
      nothing,
    ],
    [
      '[crypto.createHash("md5").update("").digest("hex").length, typeof performance.now(), URL, fetch, process]',
      result([32, 'number', 'u', 1, 2]),
    ],
    ['class Map {} function Set() { return 5; } let JSON = 1, Object = 2, Promise = 3, Buffer = 4', nothing],
    ['[new Map().constructor.name, Set(), JSON, Object, Promise, Buffer]', result(['Map', 5, 1, 2, 3, 4])],
    ['function Set() { return 6; } await 1; Set()', result(6)],
  ],
];

const KINDS = ['const it = N', 'let it = N', 'var it = N', 'function it() { return N; }', 'class it { static n = N; }'];

export const REDECLARED: Table = [
  [
    'any kind of declaration may follow any other',
    ...KINDS.flatMap((first) =>
      KINDS.flatMap((second): Call[] => [
        [first.replace('N', '1'), nothing],
        [`${second.replace('N', '2')}\n;(typeof it === "function" ? (it.n ?? it()) : it)`, result(2)],
      ]),
    ),
    ['const it = 1', nothing],
    ['import { basename as it } from "node:path"; it("/a/b")', result('b')],
    ['let it = 5; it', result(5)],
    ['function it() { return 6; }; it()', result(6)],
    ['const it = 7; it', result(7)],
  ],
  [
    'functions of earlier calls see what a name is now',
    ['function help() { return 1; }\nconst main = () => help() + limit\nlet limit = 10', nothing],
    ['main()', result(11)],
    ['function help() { return 2; }', nothing],
    ['main()', result(12)],
    ['const help = () => 3; let limit = 20', nothing],
    ['main()', result(23)],
  ],
  [
    'a constant stays one',
    ['const k = 1, o = { p: 1 };\no.p = 2;\nk = 2;', failed('TypeError', 3, 'Assignment to constant variable.')],
    ['k', result(1)],
    ['k++', failed('TypeError', 1, 'Assignment to constant variable.')],
    ['[k] = [3]', failed('TypeError', 1)],
    ['function set() { k += 1 }', nothing],
    ['let m = 1\n\nset()', failed('TypeError', 3)],
    ['const f = (k) => { k = 5; return k; }; [f(1), k]', result([5, 1])],
    ['let k = 2; k = 3; k', result(3)],
    ['k = 4', result(4)],
  ],
];
