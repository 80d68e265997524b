import type { Language } from '../../../src/contract';
import type { LanguageCase } from './case';

type PerLanguage = Readonly<Record<Language, string>>;

/** One behaviour that holds in every language alike; the program is written in each. */
export interface SharedCase extends Omit<LanguageCase, 'code'> {
  readonly code: PerLanguage;
}

const FLOOD_LINES = 400_000;
const FLOOD_MIB = 256;

export const SHARED_CASES: readonly SharedCase[] = [
  {
    title: 'stdout and stderr are apart',
    code: {
      python: 'import sys\nprint("o")\nprint("e", file=sys.stderr)',
      javascript: 'console.log("o"); console.error("e");',
      typescript: 'console.log("o"); console.error("e");',
      shell: 'echo o\necho e >&2',
    },
    expect: { exitCode: 0, stdout: 'o\n', stderr: 'e\n' },
  },
  {
    title: 'a program that runs too long ends as TIMEOUT and keeps what it printed',
    code: {
      python: 'print("early", flush=True)\nwhile True: pass',
      javascript: 'console.log("early"); for (;;) {}',
      typescript: 'console.log("early"); for (;;) {}',
      shell: 'echo early; while :; do :; done',
    },
    request: { timeout: 1_000 },
    expect: { errorCode: 'TIMEOUT', errorMessageIncludes: ['Execution timed out after 1000ms'], stdout: 'early\n' },
  },
  {
    title: 'signals do not save a program from its timeout',
    code: {
      python:
        'import signal, time\nfor s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n    signal.signal(s, signal.SIG_IGN)\nwhile True: time.sleep(1)',
      javascript: 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);',
      typescript: 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);',
      shell: 'trap "" TERM INT HUP; sleep 1000',
    },
    request: { timeout: 1_000 },
    expect: { errorCode: 'TIMEOUT' },
  },
  {
    title: 'a program that allocates 1.2 x memoryMb ends as MEMORY_LIMIT',
    code: {
      python: 'b = [bytearray(1024 * 1024) for _ in range(308)]\nprint("survived", len(b))',
      javascript:
        'const keep = []; for (let i = 0; i < 308; i++) keep.push(Buffer.alloc(1024 * 1024, 1)); console.log("survived");',
      typescript:
        'const keep: Buffer[] = []; for (let i = 0; i < 308; i++) keep.push(Buffer.alloc(1024 * 1024, 1)); console.log("survived");',
      shell: `python3 -c 'b = [bytearray(1024 * 1024) for _ in range(308)]; print("survived")'`,
    },
    expect: { errorCode: 'MEMORY_LIMIT', errorMessageIncludes: ['256'], stdoutExcludes: ['survived'] },
  },
  {
    title: 'a program that writes more than diskMb reads ENOSPC and is not out of memory',
    code: {
      python:
        'import errno\ntry:\n    with open("big", "wb") as f:\n        for _ in range(200): f.write(b"x" * 1048576)\nexcept OSError as e:\n    result = errno.errorcode[e.errno]',
      javascript:
        'const fs = require("fs"); const fd = fs.openSync("big", "w"); try { for (let i = 0; i < 200; i++) fs.writeSync(fd, Buffer.alloc(1048576)); } catch (e) { result = e.code; }',
      typescript:
        'import fs from "fs"; const fd = fs.openSync("big", "w"); try { for (let i = 0; i < 200; i++) fs.writeSync(fd, Buffer.alloc(1048576)); } catch (e: any) { globalThis.result = e.code; }',
      shell:
        'if head -c 200M /dev/zero > big 2> /tmp/err; then result=no; else grep -q "No space left" /tmp/err && result=ENOSPC; fi',
    },
    expect: { exitCode: 0, result: 'ENOSPC' },
  },
  {
    title: 'a flood of output is cut in the middle with a warning and does not kill the program',
    code: {
      python: `import sys\nprint("FIRST")\nfor i in range(${FLOOD_LINES}): sys.stdout.write("line %d of the flood\\n" % i)\nprint("LAST")\nresult = "done"`,
      javascript: `console.log("FIRST"); for (let i = 0; i < ${FLOOD_LINES}; i += 100) process.stdout.write(("line " + i + " of the flood\\n").repeat(100)); console.log("LAST"); result = "done";`,
      typescript: `console.log("FIRST"); for (let i: number = 0; i < ${FLOOD_LINES}; i += 100) process.stdout.write(("line " + i + " of the flood\\n").repeat(100)); console.log("LAST"); globalThis.result = "done";`,
      shell: `echo FIRST; seq 1 ${FLOOD_LINES}; echo LAST; result=done`,
    },
    expect: {
      exitCode: 0,
      result: 'done',
      stdoutIncludes: ['FIRST\n', 'LAST\n', 'truncated'],
      warningsInclude: ['stdout was truncated'],
    },
  },
  {
    title: 'a result larger than a payload goes to the workspace',
    code: {
      python: 'result = ["x" * 100] * 5000',
      javascript: 'result = Array(5000).fill("x".repeat(100));',
      typescript: 'const result: string[] = Array(5000).fill("x".repeat(100));',
      shell: `result=$(python3 -c 'import json; print(json.dumps(["x" * 100] * 5000))')`,
    },
    expect: { exitCode: 0, result: null },
  },
  {
    title: 'output files are saved by path and by glob, also where the program failed',
    code: {
      python:
        'import os\nos.makedirs("out/deep")\nopen("out/a.csv", "w").write("1")\nopen("out/deep/b.csv", "w").write("2")\nopen("c.txt", "w").write("3")\nraise SystemExit(2)',
      javascript:
        'const fs = require("fs"); fs.mkdirSync("out/deep", { recursive: true }); fs.writeFileSync("out/a.csv", "1"); fs.writeFileSync("out/deep/b.csv", "2"); fs.writeFileSync("c.txt", "3"); process.exit(2);',
      typescript:
        'import fs from "fs"; fs.mkdirSync("out/deep", { recursive: true }); fs.writeFileSync("out/a.csv", "1"); fs.writeFileSync("out/deep/b.csv", "2"); fs.writeFileSync("c.txt", "3"); process.exit(2);',
      shell: 'mkdir -p out/deep; printf 1 > out/a.csv; printf 2 > out/deep/b.csv; printf 3 > c.txt; exit 2',
    },
    request: {
      outputFiles: [
        { sandboxPath: 'out/**/*.csv' },
        { sandboxPath: '/sandbox/c.txt', workspacePath: 'reports/c.txt' },
        { sandboxPath: 'missing.txt' },
      ],
    },
    expect: {
      exitCode: 2,
      errorCode: 'RUNTIME_ERROR',
      saved: ['out/a.csv', 'out/deep/b.csv', 'reports/c.txt'],
      warningsInclude: ['missing.txt'],
    },
  },
  {
    title: 'links, devices and pipes are never sent back',
    code: {
      python:
        'import os\nos.symlink("/etc/passwd", "a.txt")\nos.mkfifo("b.txt")\nos.symlink("/etc", "dir")\nopen("c.txt", "w").write("ok")',
      javascript:
        'const fs = require("fs"); fs.symlinkSync("/etc/passwd", "a.txt"); require("child_process").execSync("mkfifo b.txt"); fs.symlinkSync("/etc", "dir"); fs.writeFileSync("c.txt", "ok");',
      typescript:
        'import fs from "fs"; fs.symlinkSync("/etc/passwd", "a.txt"); require("child_process").execSync("mkfifo b.txt"); fs.symlinkSync("/etc", "dir"); fs.writeFileSync("c.txt", "ok");',
      shell: 'ln -s /etc/passwd a.txt; mkfifo b.txt; ln -s /etc dir; printf ok > c.txt',
    },
    request: { outputFiles: [{ sandboxPath: '*.txt' }, { sandboxPath: 'dir/passwd' }, { sandboxPath: 'dir/*' }] },
    expect: { saved: ['c.txt'] },
  },
  {
    title: 'bytes that are not text come through a file unchanged',
    code: {
      python: 'open("copy.bin", "wb").write(open("in.bin", "rb").read())',
      javascript: 'require("fs").copyFileSync("in.bin", "copy.bin");',
      typescript: 'require("fs").copyFileSync("in.bin", "copy.bin");',
      shell: 'cat in.bin > copy.bin',
    },
    files: { 'in.bin': `base64:${Buffer.from([0, 255, 254, 10, 13, 0x80]).toString('base64')}` },
    request: { inputFiles: [{ path: 'in.bin' }], outputFiles: [{ sandboxPath: 'copy.bin' }] },
    expect: { exitCode: 0, saved: ['copy.bin'] },
  },
  {
    title: 'a process left behind does not hold the run open',
    code: {
      python: 'import subprocess\nsubprocess.Popen(["sleep", "1000"], start_new_session=True)\nresult = 1',
      javascript:
        'const c = require("child_process").spawn("sleep", ["1000"], { detached: true, stdio: "inherit" }); c.unref(); result = 1;',
      typescript:
        'const c = require("child_process").spawn("sleep", ["1000"], { detached: true, stdio: "inherit" }); c.unref(); globalThis.result = 1;',
      shell: 'setsid sleep 1000 &\nresult=1',
    },
    expect: { exitCode: 0, result: 1 },
  },
  {
    title: 'a fork bomb ends with the run',
    code: {
      python:
        'import os\nfor _ in range(500):\n    try:\n        if os.fork() == 0:\n            import time; time.sleep(1000)\n    except OSError:\n        result = "limited"\n        break',
      javascript:
        'const { spawn } = require("child_process"); let n = 0; for (let i = 0; i < 300; i++) { const c = spawn("sleep", ["1000"], { stdio: "ignore" }); c.on("error", () => { n++; }); c.unref(); } setTimeout(() => { result = n > 0 ? "limited" : "free"; process.exit(0); }, 50);\nvar result;',
      typescript:
        'import { spawn } from "child_process"; let n = 0; for (let i = 0; i < 300; i++) { const c = spawn("sleep", ["1000"], { stdio: "ignore" }); c.on("error", () => { n++; }); c.unref(); } await new Promise((r) => setTimeout(r, 50)); const result = n > 0 ? "limited" : "free"; process.exit(0);',
      // bash itself waits and tries again where it cannot fork.
      shell: `result=$(python3 -c '
import os, time
try:
    for _ in range(500):
        if os.fork() == 0: os.close(1); time.sleep(1000)
except OSError: print("limited")')`,
    },
    expect: { result: 'limited' },
  },
  {
    title: `${FLOOD_MIB} MiB of zeros on stdout cost neither the engine nor the worker anything`,
    code: {
      python: `import sys\nchunk = "\\0" * 1048576\nfor _ in range(${FLOOD_MIB}): sys.stdout.write(chunk)\nresult = "done"`,
      javascript: `const c = Buffer.alloc(1048576); const fs = require("fs"); for (let i = 0; i < ${FLOOD_MIB}; i++) { let o = 0; while (o < c.length) { try { o += fs.writeSync(1, c, o); } catch (e) { if (e.code !== "EAGAIN") throw e; } } } result = "done";`,
      typescript: `const c = Buffer.alloc(1048576); const fs = require("fs"); for (let i = 0; i < ${FLOOD_MIB}; i++) { let o = 0; while (o < c.length) { try { o += fs.writeSync(1, c, o); } catch (e: any) { if (e.code !== "EAGAIN") throw e; } } } globalThis.result = "done";`,
      shell: `head -c ${FLOOD_MIB}M /dev/zero; result=done`,
    },
    request: { timeout: 120_000 },
    expect: { exitCode: 0, result: 'done', warningsInclude: ['stdout was truncated'] },
  },
];
