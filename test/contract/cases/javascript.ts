import type { LanguageCase } from './case';

export const JAVASCRIPT_CASES: readonly LanguageCase[] = [
  {
    title: 'result declared with const is the result',
    code: 'const result = { a: [1, null, "x"] };',
    expect: { exitCode: 0, result: { a: [1, null, 'x'] } },
  },
  { title: 'result declared with let is the result', code: 'let result = 1; result += 1;', expect: { result: 2 } },
  { title: 'result declared with var is the result', code: 'var result = 3;', expect: { result: 3 } },
  { title: 'a bare result is the result', code: 'result = 4', expect: { result: 4 } },
  {
    title: 'the last expression is the result where no variable is set',
    code: 'const x = 20;\nx * 2 + 2',
    expect: { result: 42 },
  },
  {
    title: 'promises are awaited',
    code: 'const f = async () => { await new Promise((r) => setTimeout(r, 5)); return 9; };\nf()',
    expect: { result: 9 },
  },
  { title: 'a promise in result is awaited', code: 'const result = Promise.resolve([1]);', expect: { result: [1] } },
  {
    title: 'top-level await works',
    code: 'const v = await Promise.resolve(5);\nresult = v + 1;',
    expect: { result: 6 },
  },
  {
    title: 'a timer may set the result',
    code: 'let result = 0;\nsetTimeout(() => { result = 1; }, 10);',
    expect: { result: 1 },
  },
  {
    title: 'inputs are globals and also in inputs',
    code: 'result = [a, inputs.a, Object.keys(inputs).sort()];',
    request: { inputData: { a: [1], b: 'ß' } },
    expect: { result: [[1], [1], ['a', 'b']] },
  },
  {
    title: 'an input may be declared again',
    code: 'const a = 5; const fs = require("fs"); result = [a, typeof fs.readFileSync];',
    request: { inputData: { a: 1 } },
    expect: { result: [5, 'function'] },
  },
  {
    title: 'require finds packages',
    code: 'const _ = require("lodash"); result = _.chunk([1, 2, 3], 2);',
    expect: { result: [[1, 2], [3]] },
  },
  {
    title: 'static import finds packages',
    code: 'import _ from "lodash";\nimport { groupBy } from "lodash";\nimport * as path from "node:path";\nexport const result = [_.sum([1, 2]), groupBy([1], String), path.join("a", "b")];',
    expect: { result: [3, { 1: [1] }, 'a/b'] },
  },
  {
    title: 'dynamic import works in a script',
    code: 'import("dayjs").then((m) => { globalThis.result = m.default("2024-01-02").year(); });',
    expect: { result: 2024 },
  },
  {
    title: 'ESM and CommonJS can be mixed',
    code: 'import { readFileSync } from "fs";\nconst { join } = require("path");\nresult = [join("a", "b"), typeof readFileSync, typeof import.meta.url];',
    expect: { result: ['a/b', 'function', 'string'] },
  },
  {
    title: 'a missing export is an error that names it',
    code: 'import { nope } from "node:path";\nconsole.log(nope);',
    expect: { exitCode: 1, stderrIncludes: ['nope'] },
  },
  {
    title: 'staged modules are found',
    code: 'import { twice } from "./lib/util.mjs";\nconst { NAME } = require("./name.js");\nresult = [twice(2), NAME];',
    files: { 'lib/util.mjs': 'export const twice = (x) => 2 * x;\n', 'name.js': 'module.exports = { NAME: "n" };\n' },
    request: { inputFiles: [{ path: 'lib/util.mjs' }, { path: 'name.js' }] },
    expect: { result: [4, 'n'] },
  },
  {
    title: 'a staged file is there and its text is in a variable',
    code: 'result = [require("fs").readFileSync("in.txt", "utf8"), text];',
    files: { 'in.txt': 'grün' },
    request: { inputFiles: [{ path: 'in.txt', variableName: 'text' }] },
    expect: { result: ['grün', 'grün'] },
  },
  {
    title: 'stdin is read',
    code: 'result = require("fs").readFileSync(0, "utf8").trim().split("\\n");',
    request: { stdin: 'a\nb\n' },
    expect: { result: ['a', 'b'] },
  },
  {
    title: 'stdin is read as a stream',
    code: 'let s = ""; for await (const c of process.stdin) s += c; result = s;',
    request: { stdin: 'abc' },
    expect: { result: 'abc' },
  },
  {
    title: 'stdin without data ends at once',
    code: 'let s = "e"; for await (const c of process.stdin) s += c; result = s;',
    expect: { result: 'e' },
  },
  {
    title: 'process.exit sets the code and keeps the result',
    code: 'let result = 5;\nprocess.exit(3);',
    expect: { exitCode: 3, result: 5, errorCode: 'RUNTIME_ERROR' },
  },
  { title: 'process.exitCode is kept', code: 'process.exitCode = 4; result = 1;', expect: { exitCode: 4, result: 1 } },
  {
    title: 'large output before process.exit is not lost',
    code: 'process.stdout.write("x".repeat(90000) + "END"); process.exit(0);',
    expect: { exitCode: 0, stdoutIncludes: ['END'] },
  },
  {
    title: 'an error has the user lines and none of ours',
    code: 'function f(o) {\n  return o.a.b;\n}\nf({});',
    expect: {
      exitCode: 1,
      result: null,
      errorCode: 'RUNTIME_ERROR',
      errorType: 'TypeError',
      errorLine: 2,
      tracebackIncludes: ['<code>:2', '<code>:4'],
      tracebackExcludes: ['/opt/hourglass', 'node:internal'],
      stderrIncludes: ["Cannot read properties of undefined (reading 'b')"],
    },
  },
  {
    title: 'an unhandled rejection is an error',
    code: 'Promise.reject(new RangeError("late"));\nresult = 1;',
    expect: { exitCode: 1, errorType: 'RangeError', errorMessageIncludes: ['late'] },
  },
  {
    title: 'a rejection that is handled later in the same turn is none',
    code: 'const p = Promise.reject(new Error("x"));\nawait p.catch(() => {});\nresult = 1;',
    expect: { exitCode: 0, result: 1 },
  },
  {
    title: 'an error in a timer is an error',
    code: 'setTimeout(() => { throw new Error("tick"); }, 1);',
    expect: { exitCode: 1, errorMessageIncludes: ['tick'] },
  },
  {
    title: "the user's own handler wins",
    code: 'process.on("uncaughtException", (e) => { console.log("caught", e.message); });\nthrow new Error("x");',
    expect: { exitCode: 0, stdout: 'caught x\n' },
  },
  {
    title: 'a thrown text is an error',
    code: 'throw "plain";',
    expect: { exitCode: 1, errorMessageIncludes: ['plain'] },
  },
  {
    title: 'a syntax error has its line',
    code: 'const a = 1;\nconst b = ;\n',
    expect: { exitCode: 1, errorCode: 'SYNTAX_ERROR', errorType: 'SyntaxError', errorLine: 2, stderrIncludes: ['^'] },
  },
  {
    title: 'a SyntaxError raised at run time is a runtime error',
    code: 'JSON.parse("{");',
    expect: { errorCode: 'RUNTIME_ERROR', errorType: 'SyntaxError' },
  },
  {
    title: 'an overflow of the stack is an error',
    code: 'function f() { return f(); }\nf();',
    expect: { exitCode: 1, errorType: 'RangeError' },
  },
  {
    title: 'standard types become JSON',
    code: 'result = [new Date(0), new Map([["a", 1]]), new Set([1, 2]), 10n, 2n ** 64n, new Uint8Array([1, 2]), Buffer.from("hi"), new Error("e"), new URL("https://x.y/z"), NaN, Infinity, undefined, { f() {}, s: Symbol("s"), u: undefined, k: 1 }];',
    expect: {
      result: [
        '1970-01-01T00:00:00.000Z',
        { a: 1 },
        [1, 2],
        10,
        '18446744073709551616',
        [1, 2],
        'aGk=',
        { name: 'Error', message: 'e' },
        'https://x.y/z',
        null,
        null,
        null,
        { k: 1 },
      ],
    },
  },
  {
    title: 'a cycle is a clear error',
    code: 'const result = {}; result.self = result;',
    expect: { exitCode: 1, errorCode: 'RUNTIME_ERROR', errorMessageIncludes: ['ircular'] },
  },
  {
    title: 'a last expression that cannot be JSON is null with a warning',
    code: 'const a = {}; a.a = a;\na',
    expect: { exitCode: 0, result: null, warningsInclude: ['ircular'] },
  },
  {
    title: 'a timer as last expression is null',
    code: 'setTimeout(() => {}, 1)',
    expect: { exitCode: 0, result: null },
  },
  {
    title: 'a return at the top level is the result',
    code: 'if (true) {\n  return { ok: 1 };\n}',
    expect: { result: { ok: 1 } },
  },
  {
    title: 'a polluted prototype does not break the result',
    code: 'Object.prototype.toJSON = () => "evil"; Array.prototype.map = null; JSON.stringify = () => "no"; result = { a: 1 };',
    expect: { exitCode: 0 },
  },
  { title: 'sloppy mode code runs', code: 'x = 5; with ({ y: 2 }) { result = x * y; }', expect: { result: 10 } },
  {
    title: 'child processes work',
    code: 'result = require("child_process").execSync("echo hi").toString();',
    expect: { result: 'hi\n' },
  },
  {
    title: 'worker threads work',
    code: 'const { Worker } = require("worker_threads");\nresult = await new Promise((r) => new Worker("require(\'worker_threads\').parentPort.postMessage(6 * 7)", { eval: true }).once("message", r));',
    expect: { result: 42 },
  },
  {
    title: 'a module that is ESM only can be imported',
    code: 'import { v4, validate } from "uuid";\nresult = validate(v4());',
    expect: { result: true },
  },
  {
    title: 'the main module idiom runs',
    code: 'if (require.main === module) { result = "main"; }',
    expect: { result: 'main' },
  },
  { title: 'code that ends in a comment works', code: 'result = 1 // done', expect: { result: 1 } },
  { title: 'a hash bang is skipped', code: '#!/usr/bin/env node\nresult = 1', expect: { result: 1 } },
];

export const TYPESCRIPT_CASES: readonly LanguageCase[] = [
  {
    title: 'types are removed',
    code: 'interface P { name: string; age?: number }\nconst people: P[] = [{ name: "a" }];\nconst result: string[] = people.map((p): string => p.name);',
    expect: { result: ['a'] },
  },
  {
    title: 'enums work',
    code: 'enum Color { Red = 1, Green }\nconst enum E { A = "a" }\nresult = [Color.Green, Color[1], E.A];',
    expect: { result: [2, 'Red', 'a'] },
  },
  {
    title: 'namespaces work',
    code: 'namespace N { export const v = 3; export function f(): number { return v; } }\nconst result = N.f();',
    expect: { result: 3 },
  },
  {
    title: 'parameter properties work',
    code: 'class P { constructor(public readonly x: number, private y = 2) {} sum(): number { return this.x + this.y; } }\nconst result = new P(1).sum();',
    expect: { result: 3 },
  },
  {
    title: 'satisfies, as and generics work',
    code: 'function id<T extends object>(v: T): T { return v; }\nconst c = { a: 1 } satisfies Record<string, number>;\nconst result = id(c) as { a: number };',
    expect: { result: { a: 1 } },
  },
  {
    title: 'imports with types work',
    code: 'import type { Chunk } from "nowhere";\nimport _, { type LoDashStatic } from "lodash";\nconst x: Chunk | number = 1;\nresult = _.sum([x, 2]);',
    expect: { result: 3 },
  },
  {
    title: 'top-level await works',
    code: 'const f = async (n: number): Promise<number> => n + 1;\nconst result: number = await f(1);',
    expect: { result: 2 },
  },
  {
    title: 'an error has the line of the source',
    code: 'interface A {\n  x: number;\n}\nenum E { A }\nfunction boom(a: A): never {\n  throw new Error("no " + E.A + a.x);\n}\nboom({ x: 1 });',
    expect: { exitCode: 1, errorLine: 6, tracebackIncludes: ['<code>:6', '<code>:8'] },
  },
  {
    title: 'a type error does not matter',
    code: 'const n: number = "text" as any;\nconst result: string = n;',
    expect: { result: 'text' },
  },
  {
    title: 'a syntax error has its line',
    code: 'const a: number = 1;\nconst b: = 2;',
    expect: { errorCode: 'SYNTAX_ERROR', errorLine: 2 },
  },
  {
    title: 'staged TypeScript is found',
    code: 'import { twice, type Num } from "./util.ts";\nconst n: Num = 2;\nresult = twice(n);',
    files: {
      'util.ts':
        'export type Num = number;\nexport enum K { A }\nexport function twice(n: Num): Num { return 2 * n; }\n',
    },
    request: { inputFiles: [{ path: 'util.ts' }] },
    expect: { result: 4 },
  },
];
