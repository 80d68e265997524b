import type { LanguageCase } from './case';

/** Programs that end in odd places, and what is said of where they ended. */
const ENDS: readonly LanguageCase[] = [
  {
    title: 'a variable that is not set ends the program with its line under set -u',
    code: 'set -euo pipefail\necho a\necho "$nope"\n',
    expect: { exitCode: 1, errorCode: 'RUNTIME_ERROR', errorLine: 3, stderrIncludes: ['nope: unbound variable'] },
  },
  {
    title: 'a parameter that must be set ends the program with its line',
    code: 'echo a\n: "${name:?is needed}"\n',
    expect: { exitCode: 1, errorLine: 2, stderrIncludes: ['name: is needed'] },
  },
  {
    title: 'an error in a function has the line in the function',
    code: 'f() {\n  echo in\n  grep -q x /dev/null\n  echo never\n}\nf\n',
    expect: { exitCode: 1, errorLine: 3, stdout: 'in\n' },
  },
  {
    title: 'an error in a function whose text stands twice has the line of the call',
    code: 'f() {\n  false\n}\ng() {\n  false\n}\nf\n',
    expect: { exitCode: 1, errorLine: 7 },
  },
  {
    title: 'an error in a staged file has the line that sources it',
    code: 'echo a\nsource ./lib.sh\necho b',
    files: { 'lib.sh': 'echo in\n\nfalse\n' },
    request: { inputFiles: [{ path: 'lib.sh' }] },
    expect: { exitCode: 1, errorLine: 2, stdout: 'a\nin\n' },
  },
  {
    title: 'an error handler of the program runs and the line is known all the same',
    code: `trap 'echo "failed with $? at $LINENO" >&2' ERR\necho a\nls /none 2>/dev/null\necho never`,
    expect: { exitCode: 2, errorCode: 'RUNTIME_ERROR', errorLine: 3, stderr: 'failed with 2 at 3\n' },
  },
  {
    title: 'an exit handler that fails by itself has no line of a command that did not',
    code: "trap 'exit 4' EXIT\necho done",
    expect: { exitCode: 4, stdout: 'done\n', errorMessageIncludes: ['Command exited with code 4'] },
  },
  {
    title: 'an exit handler may set the result',
    code: "trap 'result=late' EXIT\nresult=early",
    expect: { exitCode: 0, result: 'late' },
  },
  {
    title: 'an exit handler that exits keeps the result from before',
    code: "trap 'result=late; exit 0' EXIT\nresult=early\nfalse",
    expect: { exitCode: 0, result: 'early' },
  },
  {
    title: 'an exit handler that does not parse loses no result',
    code: "trap 'if' EXIT\nresult=kept",
    expect: { result: 'kept' },
  },
  {
    title: 'a program that exits before a syntax error has none',
    code: 'echo early\nexit 2\n)',
    expect: { exitCode: 2, stdout: 'early\n', errorCode: 'RUNTIME_ERROR' },
  },
  {
    title: 'a program that fails before a syntax error has none',
    code: 'ls /none\n)',
    expect: { exitCode: 2, errorCode: 'RUNTIME_ERROR', errorLine: 1 },
  },
  {
    title: 'a syntax error inside [[ ]] is one',
    code: 'echo a\nif [[ a == ]]; then echo; fi',
    expect: { exitCode: 2, errorCode: 'SYNTAX_ERROR', errorLine: 2, stdout: 'a\n' },
  },
  {
    title: 'a here-document without its end is a warning of bash, not a syntax error',
    code: 'cat <<END\ntext\nexit 2',
    expect: { exitCode: 0, stdout: 'text\nexit 2\n', stderrIncludes: ['here-document'] },
  },
  {
    title: 'an error inside eval is an error of the line that holds it',
    code: "echo a\neval 'if true'\necho b",
    expect: { exitCode: 2, errorCode: 'RUNTIME_ERROR', errorLine: 2 },
  },
  {
    title: 'a text that bash takes for no script has no advice that does not fit',
    code: 'echo a\0b',
    expect: { exitCode: 126, errorCode: 'RUNTIME_ERROR', stderrIncludes: ['cannot execute binary file'] },
  },
  {
    title: 'a program that replaces the shell has its exit code',
    code: 'echo first\nexec python3 -c "import sys; sys.exit(9)"',
    expect: { exitCode: 9, stdout: 'first\n' },
  },
];

/** What becomes of `result`, however it is declared. */
const RESULTS: readonly LanguageCase[] = [
  { title: 'a result may be read-only', code: `readonly result='{"a":1}'`, expect: { result: { a: 1 } } },
  { title: 'a result may be an integer variable', code: 'declare -i result=2+3', expect: { result: 5 } },
  {
    title: 'a result may be a reference',
    code: 'real=(1 two)\ndeclare -n result=real',
    expect: { result: [1, 'two'] },
  },
  {
    title: 'a result may be an associative array made in a function',
    code: `f() { declare -gA result; result=([k]=v ["a b"]='[1,2]'); }\nf`,
    expect: { result: { k: 'v', 'a b': [1, 2] } },
  },
  { title: 'a result that was unset is none', code: 'result=4; unset result; echo hi', expect: { result: 'hi' } },
  { title: 'an empty result is an empty text', code: 'result=; echo hi', expect: { result: '' } },
  { title: 'a result of some lines keeps them', code: "result=$'a\\nb\\n'", expect: { result: 'a\nb\n' } },
  { title: 'a result like a number that is none is text', code: 'result=(007 1e999 NaN)', expect: { result: ['007', '1e999', 'NaN'] } }, // prettier-ignore
  { title: 'lines of stdin are a list', code: 'mapfile -t result', request: { stdin: '1\ntwo\n\n' }, expect: { result: [1, 'two', ''] } }, // prettier-ignore
  {
    title: 'a result survives functions that are named like commands',
    code: 'printf() { :; }\nset() { :; }\nexit() { :; }\nexit 3\nresult=9',
    expect: { exitCode: 0, result: 9 },
  },
];

const SURROUNDINGS: readonly LanguageCase[] = [
  {
    title: 'processes talk by pipes of all kinds',
    code: 'coproc cat\necho hi >&"${COPROC[1]}"\nread -r x <&"${COPROC[0]}"\necho "$x"\ndiff <(seq 2) <(seq 3) || true\ntr a-z A-Z <<< abc',
    expect: { stdout: 'hi\n2a3\n> 3\nABC\n' },
  },
  {
    title: 'a trace goes where the program sends it',
    code: 'exec 5>trace\nBASH_XTRACEFD=5\nset -x\necho a\nset +x\ncat trace',
    expect: { stdout: 'a\n+ echo a\n+ set +x\n', stderr: '' },
  },
  {
    title: 'a program with a byte order mark and lines of Windows runs',
    code: '\ufeff#!/bin/sh\r\nset -e\r\nif true; then\r\n  echo hi\r\nfi\r\n',
    expect: { exitCode: 0, stdout: 'hi\n' },
  },
  {
    title: 'the folder of the script is the working directory',
    code: 'cd "$(dirname "${BASH_SOURCE[0]}")" && pwd\n[[ ${BASH_SOURCE[0]} == "$0" ]] && echo main',
    expect: { stdout: '/sandbox\nmain\n' },
  },
  {
    title: 'a program that removes all it can still has its result',
    code: 'rm -rf /tmp/.hourglass /tmp/* /sandbox/*\necho out\nresult=5',
    expect: { exitCode: 0, stdout: 'out\n', result: 5 },
  },
  {
    title: 'a program that fills the disk still has its result',
    code: 'head -c 500M /dev/zero > /tmp/big 2> /dev/null || result=full',
    expect: { exitCode: 0, result: 'full' },
  },
  {
    title: 'a result that nests beyond all bounds is an error, not a text',
    code: `result=$(python3 -c "print('[' * 100000 + ']' * 100000)")`,
    expect: { exitCode: 1, errorCode: 'RUNTIME_ERROR', errorMessageIncludes: ['nests'] },
  },
];

/** Whole programs of odd forms: what a user of bash expects of each. */
export const SHELL_PROGRAMS: readonly LanguageCase[] = [...ENDS, ...RESULTS, ...SURROUNDINGS];
