import type { ExecutionRequest } from '../../../src/contract';
import type { LanguageCase } from './case';

type Parts = LanguageCase['request'];

function save(...sandboxPaths: string[]): NonNullable<Parts> {
  return { outputFiles: sandboxPaths.map((sandboxPath) => ({ sandboxPath })) };
}

function take(...inputFiles: NonNullable<ExecutionRequest['inputFiles']>): NonNullable<Parts> {
  return { inputFiles };
}

const UNSAVED = 'Output files matched, but not saved: ';

const NAMES: readonly LanguageCase[] = [
  {
    title: 'names with spaces, other scripts, leading dashes and dots go in and out',
    code: 'for f in *.txt -n .hid; do cp -- "$f" "copy $f"; done',
    files: { 'my ü 日本.txt': '1', '-n': '2', '.hid': '3' },
    request: { ...take({ path: 'my ü 日本.txt' }, { path: '-n' }, { path: '.hid' }), ...save('copy *') },
    expect: { exitCode: 0, saved: ['copy my ü 日本.txt', 'copy -n', 'copy .hid'], warnings: [] },
  },
  {
    title: 'one file lies at two places, and an empty one is an empty text',
    code: 'cat a b; wc -c < none; echo "[$text]"',
    files: { a: 'x\n', none: '' },
    request: take({ path: 'a' }, { path: 'a', sandboxPath: '/sandbox/b' }, { path: 'none', variableName: 'text' }),
    expect: { stdout: 'x\nx\n0\n[]\n' },
  },
  {
    title: 'an input that the program changed is sent back changed',
    code: 'echo more >> a',
    files: { a: '1\n' },
    request: { ...take({ path: 'a' }), ...save('a') },
    expect: { exitCode: 0, saved: ['a'] },
  },
];

const GLOBS: readonly LanguageCase[] = [
  {
    title: 'two stars mean files at any depth, but not hidden ones',
    code: 'mkdir -p d/e .g; touch a d/b d/e/c .h .g/x',
    request: save('**'),
    expect: { saved: ['a', 'd/b', 'd/e/c'], warnings: [] },
  },
  {
    title: 'classes of characters mean what they mean in bash',
    code: 'touch f1 f2 fa fB f_',
    request: save('f[[:digit:]]', 'f[!0-9_a]'),
    expect: { saved: ['f1', 'f2', 'fB'], warnings: [] },
  },
  {
    title: 'a glob that finds nothing is one warning, however often it is written',
    code: 'mkdir x.csv; touch x.csv/f',
    request: save('*.csv', '*.csv', 'y', './y'),
    expect: { exitCode: 0, saved: [], warnings: ['Output file not found: *.csv', 'Output file not found: y'] },
  },
  {
    title: 'what a glob means and cannot be saved is one warning',
    code: "echo 1 > real.txt; ln -s real.txt a.txt; mkfifo b.txt; echo 2 > $'c\\nd.txt'; echo 3 > $'\\xff.txt'",
    request: save('*.txt'),
    expect: {
      exitCode: 0,
      saved: ['real.txt'],
      warnings: [
        `${UNSAVED}"a.txt" is a symbolic link, "b.txt" is a named pipe, "\ufffd.txt" has a name that is not UTF-8, and 1 more`,
      ],
    },
  },
  {
    title: 'a glob that means nothing but links says so once',
    code: 'ln -s /etc/passwd p.txt',
    request: save('*.txt', '**/*.txt'),
    expect: { exitCode: 0, saved: [], warnings: [`${UNSAVED}"p.txt" is a symbolic link`] },
  },
  {
    title: 'a glob does not see folders that are too deep, and says so',
    code: `mkdir -p "$(printf 'd/%.0s' {1..70})"; touch a`,
    request: save('**'),
    expect: { saved: ['a'], warningsInclude: ['not all', '64 levels'] },
  },
];

const REFUSED: readonly LanguageCase[] = [
  {
    title: 'a link that is named is refused with the reason, once',
    code: 'ln -s /etc/passwd p; touch q',
    request: save('*', 'p'),
    expect: {
      saved: ['q'],
      errorCode: 'OUTPUT_FILE_ERROR',
      warnings: ['Output file "p" is a symbolic link; only regular files are saved'],
    },
  },
  {
    title: 'a directory that is named is refused with what to write',
    code: 'mkdir d; touch d/x',
    request: save('d'),
    expect: { errorCode: 'OUTPUT_FILE_ERROR', errorMessageIncludes: ['"d" is a directory', '/**'] },
  },
  {
    title: 'what lies in /tmp is saved, but not what is ours',
    code: 'mkdir /tmp/d; touch /tmp/a /tmp/d/b',
    request: save('/tmp/**', '/tmp/.hourglass/shell/main.sh'),
    expect: { saved: ['a', 'd/b'], warnings: ['Output file not found: /tmp/.hourglass/shell/main.sh'] },
  },
];

const STATES: readonly LanguageCase[] = [
  {
    title: 'files and folders that the program closed to itself are saved',
    code: 'echo a > a; mkdir d; echo b > d/b; chmod 000 a d /sandbox 2>/dev/null || true',
    request: save('a', 'd/*'),
    expect: { saved: ['a', 'd/b'], warnings: [] },
  },
  {
    title: 'a file that a process left behind is writing is saved as it is then',
    code: '(while :; do echo x; done > a) &\nuntil [ -s a ]; do :; done\nresult=1',
    request: save('a'),
    expect: { exitCode: 0, result: 1, saved: ['a'], warnings: [] },
  },
  {
    title: 'a program whose working directory is gone has its files',
    code: 'mkdir d; cd d; rm -rf ../d; echo a > /sandbox/a',
    request: save('a'),
    expect: { exitCode: 0, saved: ['a'] },
  },
  {
    title: 'a program that was killed has its files',
    code: 'echo a > a; kill -9 $$',
    request: save('a'),
    expect: { errorCode: 'KILLED', saved: ['a'] },
  },
];

/** Files into the sandbox and out of it, in the shell: what holds for the files of every language. */
export const FILE_CASES: readonly LanguageCase[] = [...NAMES, ...GLOBS, ...REFUSED, ...STATES];
