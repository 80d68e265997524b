import type { LanguageCase } from './case';

/** Whole programs in the styles that people write: how they load, wait, end and fail. */
export const JAVASCRIPT_PROGRAMS: readonly LanguageCase[] = [
  {
    title: 'names of the platform may be declared again',
    code: 'var crypto = require("crypto"); const URL = require("url").URL; let process = require("process"); const module = 5;\nresult = [crypto.createHash("md5").update("a").digest("hex").slice(0, 4), new URL("http://a/b").pathname, process.argv.length, module];',
    expect: { result: ['0cc1', '/b', 2, 5] },
  },
  {
    title: 'the idioms of a main module hold in ESM',
    code: 'import path from "node:path";\nimport { fileURLToPath, pathToFileURL } from "node:url";\nimport { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\nconst __dirname = path.dirname(fileURLToPath(import.meta.url));\nexport const result = [import.meta.url === pathToFileURL(process.argv[1]).href, import.meta.main, __dirname, require("lodash").add(1, 2)];',
    expect: { result: [true, true, '/sandbox', 3] },
  },
  {
    title: 'ESM is strict and its imports are live',
    code: 'import { n, increment } from "./counter.mjs";\nincrement(); increment();\nlet strict = false;\ntry { Object.freeze({ a: 1 }).a = 2; } catch { strict = true; }\nexport { n as result };\nconsole.log(strict, this);',
    files: { 'counter.mjs': 'export let n = 0;\nexport function increment() { n += 1; }\n' },
    request: { inputFiles: [{ path: 'counter.mjs' }] },
    expect: { result: 2, stdout: 'true undefined\n' },
  },
  {
    title: 'CommonJS is sloppy and its this is its exports',
    code: 'this.a = 1; exports.b = 2; Object.freeze(module.exports).c = 3;\nmodule.exports',
    expect: { result: { a: 1, b: 2 } },
  },
  {
    title: 'JSON is imported with its attribute',
    code: 'import data from "./data.json" with { type: "json" };\ndata.a',
    files: { 'data.json': '{"a":[1]}' },
    request: { inputFiles: [{ path: 'data.json' }] },
    expect: { result: [1] },
  },
  {
    title: 'an import of nothing has the line of its declaration',
    code: 'import fs from "node:fs";\n\nimport nothing from "no-such-package";\nconsole.log(nothing, fs);',
    expect: { exitCode: 1, errorCode: 'RUNTIME_ERROR', errorLine: 3, errorMessageIncludes: ['no-such-package'] },
  },
  {
    title: 'a staged module that does not parse is named with its line',
    code: 'import "./outer.mjs";',
    files: { 'outer.mjs': 'import "./inner.mjs";', 'inner.mjs': '\nlet a = ;\n' },
    request: { inputFiles: [{ path: 'outer.mjs' }, { path: 'inner.mjs' }] },
    expect: {
      errorCode: 'RUNTIME_ERROR',
      errorType: 'SyntaxError',
      stderrIncludes: ['/sandbox/inner.mjs:2', 'let a = ;'],
    },
  },
  {
    title: 'an error in a staged module has its path, and the program’s line',
    code: 'const { f } = require("./lib/f.js");\n\nf();',
    files: { 'lib/f.js': 'exports.f = () => {\n  throw new RangeError("inside");\n};\n' },
    request: { inputFiles: [{ path: 'lib/f.js' }] },
    expect: { errorType: 'RangeError', errorLine: 3, tracebackIncludes: ['/sandbox/lib/f.js:2', '<code>:3'] },
  },
  {
    title: 'a return beside imports is the result',
    code: 'import _, { sum } from "lodash";\nif (sum([1, 2]) === 3) {\n  return { ok: _.isArray([]) };\n}\nreturn null;',
    expect: { result: { ok: true } },
  },
  {
    title: 'a main function below its call is awaited',
    code: 'main();\n\nasync function main() {\n  await new Promise((resolve) => setTimeout(resolve, 5));\n  return { done: true };\n}',
    expect: { result: { done: true } },
  },
  {
    title: 'promises inside of a result are awaited',
    code: 'const later = (v) => new Promise((resolve) => setTimeout(() => resolve(v), 5));\nconst result = { a: later(1), b: [later({ c: later(2) })], d: new Map([["k", later(3)]]), then: null };',
    expect: { result: { a: 1, b: [{ c: 2 }], d: { k: 3 }, then: null } },
  },
  {
    title: 'the order of ticks, promises, timeouts and immediates is that of Node',
    code: 'setTimeout(() => console.log("timeout"), 0);\nsetImmediate(() => console.log("immediate"));\nPromise.resolve().then(() => console.log("promise"));\nprocess.nextTick(() => console.log("tick"));\nconsole.log("sync");',
    expect: { stdout: 'sync\ntick\npromise\ntimeout\nimmediate\n' },
  },
  {
    title: 'listeners of exit come before the result is read',
    code: 'var result = 0;\nprocess.on("exit", (code) => { result = code; console.log("bye"); });\nprocess.exitCode = 3;',
    expect: { exitCode: 3, result: 3, stdout: 'bye\n' },
  },
  {
    title: 'work that beforeExit starts is done',
    code: 'let result = 0;\nprocess.on("beforeExit", () => { if (result < 2) setTimeout(() => { result += 1; }, 1); });',
    expect: { exitCode: 0, result: 2 },
  },
  {
    title: 'a program that closes the pipe of its report ends with a warning',
    code: 'require("fs").closeSync(4);\nresult = 5;',
    expect: { exitCode: 0, result: null, stderr: '', warningsInclude: ['the program has no result'] },
  },
  {
    title: 'an exit inside of an exit keeps the result',
    code: 'process.on("exit", () => process.exit(5));\nresult = 1;',
    expect: { exitCode: 5, result: 1 },
  },
  {
    title: 'an await that nothing can settle is an error with its line',
    code: 'console.log("before");\nawait new Promise(() => {});\nconsole.log("after");',
    expect: {
      exitCode: 13,
      errorCode: 'RUNTIME_ERROR',
      errorLine: 2,
      stdout: 'before\n',
      errorMessageIncludes: ['await'],
    },
  },
  {
    title: 'a promise as last expression that nothing settles is null',
    code: 'new Promise(() => {})',
    expect: { exitCode: 0, result: null, warningsInclude: ['did not settle'] },
  },
  {
    title: 'a rejection in the last expression is an error',
    code: 'async function main() {\n  await null;\n  throw new TypeError("late");\n}\nmain()',
    expect: { exitCode: 1, errorType: 'TypeError', errorLine: 3 },
  },
  {
    title: 'the cause of an error is shown',
    code: 'try {\n  JSON.parse("{");\n} catch (cause) {\n  throw new Error("outer", { cause });\n}',
    expect: {
      errorLine: 4,
      tracebackIncludes: ['[cause]: SyntaxError'],
      tracebackExcludes: ['/opt/hourglass', 'node:internal'],
    },
  },
  {
    title: 'an error class gives its errors its name',
    code: 'class TooFar extends Error {}\nthrow new TooFar("far");',
    expect: { errorType: 'TooFar', errorMessageIncludes: ['far'], errorLine: 2 },
  },
  {
    title: 'a last line that overflows the stack does not lose the report',
    code: 'var result = { a: [1] };\nfunction f() { try { f(); } catch { process.exit(3); } }\nf();',
    expect: { exitCode: 3, result: { a: [1] } },
  },
  {
    title: 'all that was printed before an exit arrives, whoever reads slowly',
    code: 'for (let i = 0; i < 2000; i++) console.log("x".repeat(1000));\nprocess.stdout.write("END");\nprocess.exit(0);',
    expect: { exitCode: 0, stdoutIncludes: ['END'], warningsInclude: ['2002003'] },
  },
  {
    title: 'what a program replaces in the language does not touch its result',
    code: 'JSON.stringify = () => "no"; Array.prototype.push = null; globalThis.Map = 5; Promise.prototype.then = null; console = null;\nresult = { a: [new Set([1])] };',
    expect: { exitCode: 0, result: { a: [[1]] } },
  },
  {
    title: 'inputs under names of the platform are the program’s own',
    code: 'const _ = require("lodash");\nresult = [process, URL, name, _.map([1], String)];',
    request: { inputData: { process: 'p', URL: 'u', name: 'n', Array: 1, Promise: 2 } },
    expect: { result: ['p', 'u', 'n', ['1']] },
  },
  {
    title: 'a worker thread may run the program itself',
    code: 'const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");\nvar result;\nif (isMainThread) new Worker(__filename, { workerData: 21 }).on("message", (m) => { result = m; });\nelse parentPort.postMessage(workerData * 2);',
    expect: { exitCode: 0, result: 42 },
  },
  {
    title: 'a child process may run the program itself',
    code: 'const { fork } = require("child_process");\nvar result;\nif (process.send) { process.send("child"); process.disconnect(); }\nelse fork(__filename).on("message", (m) => { result = m; });',
    expect: { exitCode: 0, result: 'child' },
  },
  {
    title: 'code cannot leave the function it becomes',
    code: '})}); console.log("outside"); (function () { return function () {',
    expect: { errorCode: 'SYNTAX_ERROR', errorLine: 1, stdout: '' },
  },
  {
    title: 'an end that comes too early is told',
    code: 'function f() {\n  return 1;\n',
    expect: { errorCode: 'SYNTAX_ERROR', errorMessageIncludes: ['Unexpected end of input'] },
  },
];

/** Whole programs in TypeScript. */
export const TYPESCRIPT_PROGRAMS: readonly LanguageCase[] = [
  {
    title: 'types may be imported and exported like values',
    code: 'import { Request, Response } from "express";\nimport _, { Dictionary } from "lodash";\ninterface Local { a: number }\ntype Other = Dictionary<Local>;\nexport { Local, Other };\nconst result: number = _.sum([1, 2]);',
    expect: { result: 3 },
  },
  {
    title: 'staged modules are found without extension, under .js, and may import types',
    code: 'import { twice, Num } from "./util";\nimport { Kind } from "./util.js";\nconst n: Num = 2;\nconst result = [twice(n), Kind.B];',
    files: {
      'util.ts':
        'import { Shape } from "./types";\nexport type Num = number;\nexport enum Kind { A, B }\nexport const twice = (n: Num, shape?: Shape): Num => 2 * n;\n',
      'types.ts': 'export interface Shape { a: 1 }\n',
    },
    request: { inputFiles: [{ path: 'util.ts' }, { path: 'types.ts' }] },
    expect: { result: [4, 1] },
  },
  {
    title: 'an error in a staged module has the line of its source',
    code: 'import { boom } from "./util.ts";\n\nboom();',
    files: {
      'util.ts':
        'interface A {\n  a: 1;\n}\nenum E { A }\nexport function boom(): never {\n  throw new Error(`no ${E.A}`);\n}\n',
    },
    request: { inputFiles: [{ path: 'util.ts' }] },
    expect: { errorLine: 3, tracebackIncludes: ['/sandbox/util.ts:6'] },
  },
  {
    title: 'a return is the result, beside imports and enums too',
    code: 'import { join } from "node:path";\nimport type { Foo } from "foo";\nenum E { A = 4 }\nif (join("a", "b") === "a/b") {\n  return { e: E.A } as const;\n}\nreturn null;',
    expect: { result: { e: 4 } },
  },
  {
    title: 'an error behind an await has the line of the source',
    code: 'enum E { A }\ninterface T {\n  a: 1;\n}\nasync function f(t: T): Promise<void> {\n  await null;\n  throw new Error("late " + E.A + t.a);\n}\nawait f({ a: 1 });',
    expect: {
      errorLine: 7,
      tracebackIncludes: ['<code>:7', '<code>:9'],
      tracebackExcludes: ['/opt/hourglass', '/sandbox'],
    },
  },
  {
    title: 'import by require and export by assignment work',
    code: 'import fs = require("fs");\nconst kind: string = typeof fs.readFileSync;\nresult = kind;\nexport = kind;',
    expect: { result: 'function' },
  },
  {
    title: 'decorators are refused by name',
    code: 'function d(target: unknown, context: unknown) {}\n@d class A {}',
    expect: { errorCode: 'SYNTAX_ERROR', errorLine: 2, errorMessageIncludes: ['Decorators are not supported'] },
  },
  {
    title: 'what stands behind types that are gone is the last expression',
    code: 'const xs: number[] = [1, 2];\nxs.map((x): number => x * 2) as number[];\ntype Late = string;\ninterface Later {}',
    expect: { result: [2, 4] },
  },
  {
    title: 'an enum that is declared again is a syntax error with its line',
    code: 'enum E { A }\nlet a: number = 1;\nlet a: number = 2;',
    expect: { errorCode: 'SYNTAX_ERROR', errorLine: 3 },
  },
];
