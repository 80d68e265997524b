import type { ExecutionRequest, JsonObject, Language } from '../../src/contract';
import { hostileHost } from '../support/hostile-host';

const host = hostileHost();

const TEXTS = [
  `'''"""\\'\\"\\\\`,
  '${7*7} $(id) `id` #{7*7} {{7*7}} %s %n',
  '\\x41\\u0041\\N{LATIN SMALL LETTER A}\\',
  "'; rm -rf / #",
  '</script><!-- ]]> */ // -- ',
  'line\r\nfeed\ttab\u000b\u001b[31m',
  '\u2028\u2029\u202e\ufeff😀\ufffe',
  '-e -c --version',
  '~ * ? [a] {a,b} !x',
  '',
];

const ECHO: Readonly<Record<Language, string>> = {
  python: 'result = [values, literal]',
  javascript: 'const result = [values, literal]',
  typescript: 'const result: unknown = [values, literal]',
  shell: 'result=$(jq -c "[.values, .literal]" "$HOURGLASS_INPUTS")',
};

test.each(Object.entries(ECHO))(
  'R20: hostile texts arrive in %s as they were sent, and come back',
  async (language, code) => {
    const inputData = { values: TEXTS, literal: { 'key "\'`$': TEXTS.join('') } };
    const { result, error } = await host().run({ language: language as Language, code, inputData });
    expect(error).toBeUndefined();
    expect(result).toEqual([inputData.values, inputData.literal]);
  },
);

test.each(Object.keys(ECHO))(
  'R20: a %s program that looks like the end of its wrapper is a program',
  async (language) => {
    const codes: Readonly<Record<string, string>> = {
      python: `text = """'''\\n"""\nresult = len(text)`,
      javascript: 'const text = `\\`\\${}*/`; const result = text.length',
      typescript: 'const text: string = `\\`\\${}*/`; const result = text.length',
      shell: "text=$(cat <<'EOF'\n\"'\\`}\nEOF\n); result=${#text}",
    };
    const lengths: Readonly<Record<string, number>> = { python: 4, javascript: 6, typescript: 6, shell: 5 };
    const { result } = await host().run({ language: language as Language, code: codes[language] ?? '' });
    expect(result).toBe(lengths[language]);
  },
);

/** Names that shells, loaders and interpreters obey; each value would leave a file named `obeyed`. */
const STEERING: JsonObject = {
  PATH: '/sandbox/evil:/usr/bin:/bin',
  LD_PRELOAD: '/sandbox/evil/evil.so',
  LD_LIBRARY_PATH: '/sandbox/evil',
  LD_AUDIT: '/sandbox/evil/evil.so',
  GLIBC_TUNABLES: 'glibc.malloc.check=3',
  BASH_ENV: '/sandbox/evil/evil.sh',
  ENV: '/sandbox/evil/evil.sh',
  IFS: 'a/',
  PS4: '$(touch /sandbox/obeyed)',
  PROMPT_COMMAND: 'touch /sandbox/obeyed',
  SHELLOPTS: 'xtrace:noexec',
  BASHOPTS: 'extdebug',
  'BASH_FUNC_echo%%': '() { touch /sandbox/obeyed; }',
  'BASH_FUNC_ls()': '() { touch /sandbox/obeyed; }',
  PYTHONPATH: '/sandbox/evil',
  PYTHONSTARTUP: '/sandbox/evil/evil.py',
  PYTHONHOME: '/sandbox/evil',
  PYTHONINSPECT: '1',
  NODE_OPTIONS: '--require /sandbox/evil/evil.js',
  NODE_PATH: '/sandbox/evil',
  HOURGLASS_INPUTS: '/etc/passwd',
  __builtins__: {},
  __import__: 1,
  constructor: { prototype: { polluted: 1 } },
  toString: 1,
  hasOwnProperty: 1,
  toJSON: 1,
  harmless: 'a look-alike',
};

const EVIL = {
  'evil/evil.sh': 'touch /sandbox/obeyed',
  'evil/evil.py': 'open("/sandbox/obeyed", "w")',
  'evil/sitecustomize.py': 'open("/sandbox/obeyed", "w")',
  'evil/evil.js': 'require("fs").writeFileSync("/sandbox/obeyed", "")',
  'evil/ls': 'touch /sandbox/obeyed',
};

const CHILDREN = 'python3 -c pass; node -e 0; bash -c "echo a b" >/dev/null; ls / >/dev/null';
const STEERED: Readonly<Record<'python' | 'javascript' | 'shell', string>> = {
  python: `
import subprocess
subprocess.run(['bash', '-c', '${CHILDREN}'], check=True)
result = [os_path.exists('obeyed') if (os_path := __import__('os').path) else None, inputs['LD_PRELOAD'], inputs['harmless']]`,
  javascript: `
require('child_process').execSync('${CHILDREN}', { shell: '/bin/bash' });
const result = [require('fs').existsSync('obeyed'), inputs['LD_PRELOAD'], inputs['harmless']]`,
  shell: `${CHILDREN}
obeyed=false; [ -e obeyed ] && obeyed=true
result=$(jq -c "[$obeyed, .LD_PRELOAD, .harmless]" "$HOURGLASS_INPUTS")`,
};

test.each(Object.entries(STEERED))('R21: no input name steers %s or what it starts', async (language, code) => {
  const inputFiles = Object.keys(EVIL).map((path) => ({ path }));
  const inputData = { ...STEERING };
  // These names replace what the program itself is written with, as its own assignments would.
  if (language === 'python') delete inputData['__import__'];
  const found = { title: '', code, files: EVIL, request: { inputData, inputFiles }, expect: {} };
  const { result, error } = await host().runCase(language as Language, found);
  expect(error).toBeUndefined();
  expect(result).toEqual([false, STEERING['LD_PRELOAD'], STEERING['harmless']]);
});

test('R21: a name that would change the prototype of the inputs is refused, its look-alikes are not', async () => {
  const refused = JSON.parse('{"__proto__": {"polluted": 1}}') as JsonObject;
  await expect(host().run({ language: 'python', code: '', inputData: refused })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  const inputData = { proto: 1, __proto: 2, prototype: 3 };
  const code = 'const result = [inputs.proto, inputs.__proto, inputs.prototype, ({}).polluted === undefined]';
  expect((await host().run({ language: 'javascript', code, inputData })).result).toEqual([1, 2, 3, true]);
});

/** What becomes of a result: a value of JSON, or an error of this type that says this. */
type Becomes = { readonly value: unknown } | { readonly type: string; readonly says: string };

const TOO_LARGE = 'the limit is 16777216 bytes';
const POLLUTING = '{"__proto__":{"polluted":1},"a":1}';

const RESULTS: readonly (readonly [what: string, language: Language, code: string, becomes: Becomes])[] = [
  ['a cycle', 'python', 'result = []\nresult.append(result)', { type: 'ValueError', says: 'circular reference' }],
  ['a cycle', 'javascript', 'const result = {}; result.self = result', { type: 'TypeError', says: 'result.self' }],
  [
    '5000 levels',
    'python',
    'result = []\nfor _ in range(5000): result = [result]',
    { type: 'ValueError', says: 'it nests deeper than 200 levels' },
  ],
  [
    '5000 levels',
    'javascript',
    'let result = []; for (let i = 0; i < 5000; i++) result = [result]',
    { type: 'RangeError', says: 'it nests deeper than 200 levels' },
  ],
  [
    '5000 levels',
    'shell',
    `result=$(printf '%5000s' | tr ' ' '[')$(printf '%5000s' | tr ' ' ']')`,
    { type: 'ValueError', says: 'it nests too deep for JSON' },
  ],
  [
    'as many levels as there may be',
    'python',
    'result = 1\nfor _ in range(200): result = [result]',
    { value: JSON.parse('['.repeat(200) + '1' + ']'.repeat(200)) },
  ],
  [
    'numbers that JSON does not know',
    'python',
    'result = [float("nan"), float("inf"), 2 ** 80]',
    { value: [null, null, String(2n ** 80n)] },
  ],
  [
    'numbers that JSON does not know',
    'javascript',
    'const result = [NaN, -Infinity, 2n ** 80n]',
    { value: [null, null, String(2n ** 80n)] },
  ],
  ['half a character', 'python', 'result = "a" + chr(0xd800)', { value: 'a\ufffd' }],
  ['half a character', 'javascript', 'const result = "a\\ud800"', { value: 'a\ufffd' }],
  [
    'bytes',
    'python',
    'result = bytes(range(256))',
    { value: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64') },
  ],
  ['more than any result may have', 'python', 'result = "x" * 20_000_000', { type: 'ValueError', says: TOO_LARGE }],
  [
    'more than any result may have',
    'javascript',
    'const result = "x".repeat(20_000_000)',
    { type: 'RangeError', says: TOO_LARGE },
  ],
  [
    'a getter that throws',
    'javascript',
    'const result = { get x() { throw new Error("no") } }',
    { type: 'Error', says: 'cannot be turned into JSON: no' },
  ],
  [
    'a proxy that answers everything',
    'javascript',
    'const result = new Proxy({}, { ownKeys: () => { throw 1 } })',
    { type: 'Error', says: 'cannot be turned into JSON: 1' },
  ],
  [
    'a repr that never was',
    'python',
    'class X:\n    def __getattr__(self, name): raise SystemExit\nresult = X()',
    { value: expect.stringMatching(/^<__main__\.X object at 0x[0-9a-f]+>$/) },
  ],
  ['a name that pollutes', 'javascript', `const result = JSON.parse('${POLLUTING}')`, { value: JSON.parse(POLLUTING) }],
  ['a name that pollutes', 'python', `result = ${POLLUTING}`, { value: JSON.parse(POLLUTING) }],
];

test.each(RESULTS)(
  'R22: a result with %s in %s is its value in JSON or an error that says so',
  async (_, language, code, becomes) => {
    const { result, error } = await host().run({ language, code, resourceLimits: { memoryMb: 512 } });
    if ('value' in becomes) {
      expect({ result, error }).toStrictEqual({ result: becomes.value, error: undefined });
      return;
    }
    expect(result).toBeNull();
    expect(error).toMatchObject({ code: 'RUNTIME_ERROR', type: becomes.type });
    expect(error?.message).toContain(becomes.says);
  },
);

const FAILING: readonly (readonly [language: Language, code: string, line: number])[] = [
  ['python', 'def f():\n    raise ValueError("no")\nf()', 2],
  ['python', 'x = 1\nif True print(x)', 2],
  ['python', 'import json\n\njson.loads("{")', 3],
  ['javascript', 'const a = 1;\nfunction f() {\n  throw new TypeError("no");\n}\nf();', 3],
  ['javascript', 'const a = 1;\nconst b = ;', 2],
  ['javascript', '\nPromise.reject(new Error("later"))', 2],
  ['typescript', 'type T = number;\nconst t: T = 1;\nthrow new Error(String(t))', 3],
  ['shell', 'echo fine\nno-such-command', 2],
  ['shell', 'echo fine\nif true; then', 3],
];

test.each(FAILING)('R23: an error of %s names its line and nothing of the host (%j)', async (language, code, line) => {
  const request: ExecutionRequest = { language, code };
  const { error, stderr } = await host().run(request);
  expect(error?.line).toBe(line);
  const told = JSON.stringify([error, stderr]);
  for (const foreign of ['/opt/hourglass', process.cwd(), 'node:internal', 'guest', 'dockerode']) {
    expect(told).not.toContain(foreign);
  }
});
