/** What calls end with. */
import { containing, failed, nothing, result, type Table } from './table';

export const RESULTS: Table = [
  [
    'the last expression is the result unless the call sets one',
    ['1 + 1', { ...result(2), source: 'expression' }],
    ['const result = 3; 4', { ...result(3), source: 'variable' }],
    ['5', { ...result(5), source: 'expression' }],
    ['result', { ...result(3), source: 'expression' }],
    ['let unrelated = 1', nothing],
    ['var result = 3', { ...result(3), source: 'variable' }],
    ['result = 3; 9', { ...result(3), source: 'variable' }],
    ['function set() { result = [8]; } 1', { ...result(1), source: 'expression' }],
    ['set(); 2', { ...result([8]), source: 'variable' }],
    ['set', { hasResult: false }],
    ['if (true) { return { r: 1 }; } 5', { ...result({ r: 1 }), source: 'return' }],
    ['if (false) 6; else { 7; }', { ...result(7), source: 'expression' }],
    ['{ a: 1 }', result({ a: 1 })],
    ['for (let i = 0; i < 2; i++) i', nothing],
    ['', nothing],
  ],
  [
    'a result that has no JSON form is the call’s own trouble',
    ['const cycle = {}; cycle.self = cycle; let result = cycle', failed('TypeError', undefined, 'circular')],
    ['cycle', { exitCode: 0, hasResult: false, warnings: [containing('circular')] }],
    ['setTimeout(() => {}, 1)', { exitCode: 0, hasResult: false, warnings: [containing('Timeout')] }],
    ['({ toJSON() { throw new Error("mine"); } })', { hasResult: false, warnings: [containing('mine')] }],
    ['"x".repeat(2e6)', { hasResult: false, warnings: [containing('limit')] }],
    ['Object.keys(cycle)', result(['self'])],
  ],
];

export const ERRORS: Table = [
  [
    'an error has the line of its own call, and functions those of theirs',
    ['\nfunction first(x) {\n  return x.y.z;\n}', nothing],
    ['const second = () => {\n  first({});\n}', nothing],
    [
      '// a\n\n  second();',
      {
        ...failed('TypeError', 3),
        stderr: expect.stringMatching(
          /^<code 3>:3\n {2}second\(\);\n {2}\^\n[^]*at first \(<code>:3:14\)\n[^]*at second \(<code 2>:2:3\)\n[^]*at [^\n]*<code 3>:3:3/,
        ) as unknown,
      },
    ],
    ['class Mine extends Error {}\nthrow new Mine("m")', failed('Mine', 2, 'm')],
    ['throw "text"', failed('string', undefined, "Uncaught 'text'")],
    ['throw null', failed('null')],
    [
      'let e; try { first({}) } catch (caught) { e = caught.stack } e.split("\\n").filter((line) => /session|hourglass/.test(line)).length',
      result(0),
    ],
    [
      'const f = 1, g = () => { throw new Error("col") }; g()',
      { ...failed('Error', 1), stderr: containing(`\n${' '.repeat(31)}^`) },
    ],
    ['(function f() { f(); })()', failed('RangeError', 1)],
    ['eval("null.x")', failed('TypeError', 1)],
  ],
  [
    'what nobody handles ends the call alone',
    [
      'setTimeout(() => { throw new Error("late"); }, 10); await new Promise((resolve) => setTimeout(resolve, 500)); 1',
      failed('Error', 1, 'late'),
    ],
    ['Promise.reject(new Error("left")); 1', failed('Error', 1, 'left')],
    ['Promise.reject(5); 1', failed('number', undefined, 'Uncaught 5')],
    ['process.nextTick(() => { throw new Error("tick"); }); 1', failed('Error', 1, 'tick')],
    [
      'setTimeout(() => { throw new Error("between"); }, 500); 1',
      { ...result(1), later: { stdout: '', stderr: containing('Error: between\n    at') } },
    ],
    ['process.on("uncaughtException", (error) => console.log("heard", error.message)); 1', result(1)],
    ['throw new Error("mine")', { exitCode: 0, error: null, stdout: 'heard mine\n' }],
    [
      'process.removeAllListeners("uncaughtException"); process.on("unhandledRejection", () => { throw new Error("second"); })',
      { exitCode: 0 },
    ],
    ['Promise.reject(1)', failed('Error')],
    ['2', result(2)],
  ],
];

export const ENDS: Table = [
  [
    'process.exit ends a call',
    ['let a = 1; process.exit(3); a = 2', { ...nothing, exitCode: 3 }],
    ['a', result(1)],
    [
      'try { process.exit(4) } catch (error) { console.log("caught", error); process.exit(5) } finally { console.log("finally") }',
      { exitCode: 4, stdout: '' },
    ],
    ['console.log("heard"); process.exit()', { exitCode: 0, stdout: 'heard\n' }],
    ['let result = 7; process.exit(0)', { ...result(7), source: 'variable' }],
    ['setTimeout(() => process.exit(6), 10); await new Promise(() => {})', { exitCode: 6, error: null }],
    [
      'setTimeout(() => process.exit(7), 10); setTimeout(() => {}, 100); 1',
      { ...result(1), later: { stdout: '', stderr: '' } },
    ],
    ['(async () => { await 1; process.exit(8); })().catch(console.log)', { exitCode: 8, stdout: '' }],
    ['process.exit("x")', failed('TypeError', 1)],
    ['import { exit } from "node:process"; exit(9)', { exitCode: 9 }],
    [
      'process.on("exit", () => console.log("exit handler")); process.exit(1)',
      { exitCode: 1, stdout: '', error: null },
    ],
    ['a', result(1)],
  ],
  [
    'process.exitCode is of one call',
    ['process.exitCode = 5; 1', { exitCode: 5, error: null, result: 1 }],
    ['process.exitCode', { exitCode: 0, hasResult: false }],
    ['process.exitCode = 6; throw new Error("e")', { exitCode: 6, error: expect.objectContaining({ type: 'Error' }) }],
    ['1', result(1)],
  ],
  [
    'background work goes on between calls',
    [
      'let ticks = 0; const timer = setInterval(() => { ticks += 1; }, 5); console.log("begin"); setTimeout(() => console.log("later"), 500); 0',
      { ...result(0), stdout: 'begin\n', later: { stdout: 'later\n', stderr: '' } },
    ],
    ['clearInterval(timer); ticks > 5', result(true)],
    [
      'const server = require("http").createServer((_, response) => response.end("hi")); await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve)); 1',
      result(1),
    ],
    ['await (await fetch(`http://127.0.0.1:${server.address().port}`)).text()', result('hi')],
    ['server.close(); server.closeAllConnections(); 1', result(1)],
  ],
];
