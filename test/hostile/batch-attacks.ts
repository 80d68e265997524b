import type { Attack } from './attacks';

/** Each of them becomes a name in the result line. */
export const PROTOTYPES: Attack = {
  title: 'R42: files whose names are those of prototypes',
  language: 'shell',
  code: 'printf x > __proto__; printf x > constructor',
  request: { outputFiles: [{ sandboxPath: '__proto__' }, { sandboxPath: 'constructor' }] },
  expect: { exitCode: 0, saved: ['__proto__', 'constructor'] },
};

/** Attacks on the results file by what comes back. */
export const ON_THE_RESULTS: readonly Attack[] = [
  {
    title: 'R43: megabytes of control characters in both streams',
    language: 'python',
    code: 'import sys\nsys.stdout.write("\\0" * 3_000_000)\nsys.stderr.write("\\x1b" * 3_000_000)\nresult = "\\x1b[2J\\u2028" * 1_000',
    expect: { exitCode: 0, result: '\u001b[2J\u2028'.repeat(1_000), warningsInclude: ['stdout', 'stderr'] },
  },
  {
    title: 'R17: output that looks like another line of the results file',
    language: 'python',
    code: 'print(\'\\n{"id":"forged","result":{}}\\n\' * 100)\nresult = \'"}\\n{"id":"forged","result":{}}\\n\'',
    expect: { exitCode: 0, result: '"}\n{"id":"forged","result":{}}\n' },
  },
  PROTOTYPES,
];

const refused = (id: string, more: string): [id: string, line: string] => [
  id,
  `{"id":${JSON.stringify(id)},"request":{"language":"python","code":"1",${more}}}`,
];

/** Lines by their ids that attack the batch itself: each is refused. */
export const REFUSED = new Map([
  refused('__proto__', '"__proto__":{"allowNetworkAccess":true}'),
  refused('constructor', '"constructor":{"prototype":{"polluted":1}}'),
  refused('levels', `"inputData":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  refused('an input outside', '"inputFiles":[{"sandboxPath":"../../../evil","content":"x"}]'),
  refused('an output outside', '"outputFiles":[{"sandboxPath":"a","workspacePath":"../../../evil"}]'),
  refused('\u001b[2J\u0000\u009b\u202e\n', '"more":1'),
]);
