import type { LanguageCase } from './case';

export const SHELL_CASES: readonly LanguageCase[] = [
  {
    title: 'stdout without its final newline is the result',
    code: 'echo one\necho two',
    expect: { exitCode: 0, stdout: 'one\ntwo\n', result: 'one\ntwo' },
  },
  {
    title: 'the variable result is the result as JSON',
    code: `result='{"a": [1, 2]}'\necho noise`,
    expect: { result: { a: [1, 2] }, stdout: 'noise\n' },
  },
  {
    title: 'the variable result is text where it is not JSON',
    code: 'result="hello world"',
    expect: { result: 'hello world' },
  },
  {
    title: 'an exit in the middle keeps the result',
    code: 'result=5\nexit 3',
    expect: { exitCode: 3, result: 5, errorCode: 'RUNTIME_ERROR' },
  },
  {
    title: 'a trap of the program runs and the result is kept',
    code: 'trap "echo bye" EXIT\nresult=1',
    expect: { stdout: 'bye\n', result: 1 },
  },
  {
    title: 'a program that only sets variables has an empty text as stdout',
    code: 'x=1',
    expect: { exitCode: 0, stdout: '' },
  },
  {
    title: 'set -e holds from the start',
    code: 'false\necho never',
    expect: { exitCode: 1, stdout: '', errorCode: 'RUNTIME_ERROR' },
  },
  { title: 'set +e works', code: 'set +e\nfalse\necho after', expect: { exitCode: 0, stdout: 'after\n' } },
  {
    title: 'inputs are environment variables',
    code: 'echo "$name $count $flag $list $obj"',
    request: { inputData: { name: 'Zoë', count: 3, flag: true, list: [1, 'a'], obj: { k: null } } },
    expect: { stdout: 'Zoë 3 true [1,"a"] {"k":null}\n' },
  },
  {
    title: 'inputs are in the JSON file',
    code: 'jq -c .list "$HOURGLASS_INPUTS"',
    request: { inputData: { list: [1, 'a'] } },
    expect: { stdout: '[1,"a"]\n' },
  },
  {
    title: 'hostile values arrive unchanged',
    code: 'printf %s "$v"',
    request: { inputData: { v: `'"$(touch x)\`id\`\\\n;&|` } },
    expect: { stdout: `'"$(touch x)\`id\`\\\n;&|` },
  },
  {
    title: 'names that steer the shell are only in the file',
    code: 'command -v ls >/dev/null && jq -r .PATH "$HOURGLASS_INPUTS"',
    request: { inputData: { PATH: '/nowhere', LD_PRELOAD: 'x.so', BASH_ENV: 'y' } },
    expect: { exitCode: 0, stdout: '/nowhere\n', stderr: '', warningsInclude: ['PATH', 'LD_PRELOAD', 'BASH_ENV'] },
  },
  {
    title: 'a value too large for the environment is only in the file',
    code: 'jq -r ".big | length" "$HOURGLASS_INPUTS"; echo "${big:-none}"',
    request: { inputData: { big: 'x'.repeat(200_000) } },
    expect: { stdout: '200000\nnone\n', warningsInclude: ['big'] },
  },
  {
    title: 'of very many inputs that are only in the file the first are named, and how many more there are',
    code: 'jq length "$HOURGLASS_INPUTS"',
    request: {
      inputData: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`no name ${index}`, index])),
    },
    expect: {
      stdout: '1000\n',
      warningsInclude: ['no name 0 is not', '950 more inputs cannot be environment variables'],
    },
  },
  {
    title: 'functions, arrays, pipes and here-documents work',
    code: 'f() { local -a a=("$@"); echo "${#a[@]}:${a[1]}"; }\nf x y z\ncat <<EOF | tr a-z A-Z\nhello $((1+2))\nEOF\nprintf "%s\\n" b a | sort',
    expect: { stdout: '3:y\nHELLO 3\na\nb\n' },
  },
  {
    title: 'stdin is read',
    code: 'read -r first; echo "<$first>"; cat',
    request: { stdin: 'a\nb\n' },
    expect: { stdout: '<a>\nb\n' },
  },
  { title: 'stdin without data ends at once', code: 'cat; echo end', expect: { stdout: 'end\n' } },
  {
    title: "an error has bash's own message with the line",
    code: 'echo a\n\nnosuchcommand',
    expect: {
      exitCode: 127,
      stdout: 'a\n',
      stderrIncludes: ['line 3', 'nosuchcommand: command not found'],
      errorCode: 'RUNTIME_ERROR',
    },
  },
  {
    title: 'a syntax error is one',
    code: 'echo a\nif true; then\n',
    expect: { exitCode: 2, errorCode: 'SYNTAX_ERROR', stderrIncludes: ['syntax error'] },
  },
  {
    title: 'the tools are there',
    code: 'for t in awk gawk sed grep jq tar gzip unzip diff bc ps find xargs sort python3; do command -v $t >/dev/null || echo "no $t"; done; echo ok',
    expect: { stdout: 'ok\n' },
  },
  {
    title: 'python3 with packages is reachable',
    code: `python3 -c 'import numpy; print(numpy.arange(3).sum())'`,
    expect: { stdout: '3\n' },
  },
  {
    title: 'staged files are there',
    code: 'wc -l < a/b.txt',
    files: { 'a/b.txt': '1\n2\n' },
    request: { inputFiles: [{ path: 'a/b.txt' }] },
    expect: { stdout: '2\n' },
  },
  {
    title: 'a background process does not hold the run open',
    code: '(sleep 300; echo late) &\necho started',
    expect: { exitCode: 0, stdout: 'started\n' },
  },
  {
    title: 'a stopped process ends with the run',
    code: 'sleep 100 & kill -STOP $!\necho ok',
    expect: { stdout: 'ok\n' },
  },
  {
    title: 'undefined variables are an error under set -u',
    code: 'set -u\necho "$nope"',
    expect: { exitCode: 1, stderrIncludes: ['nope: unbound variable'] },
  },
  {
    title: 'a killed shell names its signal',
    code: 'kill -KILL $$',
    expect: { exitCode: 137, errorCode: 'KILLED', errorMessageIncludes: ['SIGKILL'] },
  },
  { title: 'a subshell does not report the result', code: '(result=2; exit 0)\nresult=1', expect: { result: 1 } },
  {
    title: 'writing through /dev/stdout and /dev/stderr works',
    code: 'echo out > /dev/stdout\necho err > /dev/stderr',
    expect: { stdout: 'out\n', stderr: 'err\n' },
  },
];
