/** What calls find around them, and the life of their holder. */
import { containing, failed, nothing, result, type Table } from './table';

export const SURROUNDINGS: Table = [
  [
    'each call has its own stdin',
    [{ code: 'require("fs").readFileSync(0, "utf8")', stdin: 'one' }, result('one')],
    [{ code: 'require("fs").readFileSync("/dev/stdin", "utf8")', stdin: 'two' }, result('two')],
    [
      { code: 'let text = ""; for await (const chunk of process.stdin) text += chunk; text', stdin: 'three' },
      result('three'),
    ],
    [
      {
        code: 'const lines = []; for await (const line of require("readline").createInterface({ input: process.stdin })) lines.push(line); lines',
        stdin: 'a\nb\n',
      },
      result(['a', 'b']),
    ],
    [{ code: 'process.stdin.on("data", () => {}); process.stdin.read(); 1', stdin: 'not for the next' }, result(1)],
    [
      {
        code: 'import { stdin } from "node:process"; text = ""; for await (const chunk of stdin) text += chunk; text',
        stdin: 'four',
      },
      result('four'),
    ],
    [
      {
        code: 'import { stdin as again } from "process"; text = ""; for await (const chunk of again) text += chunk; text',
        stdin: 'five',
      },
      result('five'),
    ],
    ['require("fs").readFileSync(0, "utf8")', result('')],
    [
      'require("child_process").execSync("wc -c", { stdio: ["inherit", "pipe", "inherit"] }).toString().trim()',
      result('0'),
    ],
  ],
  [
    'each call has its own inputs',
    [{ code: '[a, inputs]', inputs: { a: 1, process: 5 } }, result([1, { a: 1, process: 5 }])],
    [{ code: '[a, b, inputs]', inputs: { b: 2 } }, result([1, 2, { b: 2 }])],
    [{ code: 'const b = 7; b', inputs: { b: 3 } }, result(7)],
    [{ code: 'b = b + 1; b', inputs: { b: 4 } }, result(5)],
    [{ code: 'function b() {}', inputs: {} }, nothing],
    [{ code: 'b', inputs: { b: 6 } }, result(6)],
    [{ code: '[typeof process, URL, __dirname]', inputs: { URL: 'u' } }, result(['object', 'u', '/sandbox'])],
    [{ code: 'typeof URL', inputs: {} }, result('function')],
    [
      { code: 'text', files: { 't.txt': 'of a file' }, spec: { fileVariables: { text: 't.txt' } } },
      result('of a file'),
    ],
    [{ code: '1', spec: { fileVariables: { text: 'no.txt' } } }, failed('InputError')],
    [
      { code: '1', inputs: { result: 9 } },
      { ...result(1), source: 'expression' },
    ],
  ],
  [
    'each call has its own notes',
    [
      { code: 'hourglass.checkpoint({ n: 1 }); hourglass.last_checkpoint', spec: { checkpoint: '"kept"' } },
      { ...result('kept'), notes: '{"checkpoint":{"n":1}}\n' },
    ],
    [
      'hourglass.progress(0.5, "half"); hourglass.lastCheckpoint',
      { ...result(null), notes: '{"progress":[0.5,"half"]}\n' },
    ],
    ['const hourglass = 5', nothing],
    ['hourglass', result(5)],
  ],
  [
    'a call that changes the language leaves it changed, and ours whole',
    [
      `Array.prototype.map = null; Array.prototype[Symbol.iterator] = null; JSON.stringify = () => 'evil'; Object.keys = null;
       Map.prototype.get = null; Set.prototype.has = null; String.prototype.split = null; RegExp.prototype.exec = null;
       Promise.prototype.then = null; Buffer.from = null; Buffer.prototype.readUInt32BE = null; Function.prototype.call = null;
       Object.prototype.get = 1; globalThis.setImmediate = null; process.nextTick = null; require('fs').read = null; 1`,
      result(1),
    ],
    ['Array.prototype.map === null && JSON.stringify({}) === "evil" && Object.keys === null', result(true)],
    ['({ a: [1, { b: 2 }] })', result({ a: [1, { b: 2 }] })],
    ['const x = 1; throw new Error("still")', failed('Error', 1, 'still')],
    ['let = ;', failed('SyntaxError', 1)],
    [
      'delete globalThis.Array; delete Object.prototype.get; Object.freeze(globalThis.Map); typeof Array',
      result('undefined'),
    ],
    ['typeof Array', result('undefined')],
    ['require("module").syncBuiltinESMExports(); x', result(1)],
    ['[1, 2]', result([1, 2])],
  ],
];

export const LONG: Table = [
  [
    'a call that freezes everything ends nothing',
    ['Object.freeze(globalThis); Object.freeze(process); 1', result(1)],
    ['Object.freeze(Array.prototype); Object.freeze(Object.prototype); throw new Error("still")', failed('Error', 1)],
    ['process.exit(3)', { exitCode: 3, error: null }],
    ['1 + 1', result(2)],
  ],
  [
    'a call that closes the pipe of its report ends the holder',
    ['require("fs").closeSync(4); 1', { ended: 1, stderr: containing('pipes are broken') }],
  ],
  ['a call that kills the process ends the holder', ['process.kill(process.pid, "SIGKILL")', { ended: -9 }]],
  [
    'a thousand calls leave nothing behind',
    [
      {
        code: 'const fs = require("fs"); let seen = await 1; function f() {} class K {}\n[fs.readdirSync("/proc/self/fd").length, process.getActiveResourcesInfo().length, process.listenerCount("exit")]',
        repeat: 1000,
        stdin: 'x',
      },
      { exitCode: 0 },
    ],
  ],
  [
    'a large output is there when the call is over',
    ['console.log("x".repeat(1e6)); console.error("y".repeat(5e5)); 1', result(1)],
  ],
  [
    'what is no job ends the holder',
    ['1', result(1)],
    [{ raw: Buffer.from('GARBAGE!GARBAGE!').toString('base64') }, { ended: 1, stderr: containing('pipes are broken') }],
  ],
  ['what ends early ends the holder', [{ raw: Buffer.from([0, 0, 0, 9, 1]).toString('base64') }, { ended: 0 }]],
  [
    'parts that do not fit end the holder',
    [{ raw: Buffer.from([0, 0, 0, 5, 0, 0, 0, 9, 1]).toString('base64') }, { ended: 1 }],
  ],
];
