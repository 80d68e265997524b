import { eventually } from '../support/eventually';
import { closeEngine, destroySandboxes, KEPT, RESTORED, SessionSandbox } from '../support/session-sandbox';

afterEach(destroySandboxes);
afterAll(closeEngine);

test('variables, arrays, functions, options, handlers, folder and umask live on', async () => {
  const session = await SessionSandbox.boot('shell');
  const set = [
    'plain="a  b"; export SHOWN=1; list=(x "y z" $\'new\\nline\'); declare -A map=([k]="v w"); declare -i number=5; declare -l low=ABC',
    'declare -n ref=plain; readonly fixed=7; unset TZ; empty=()',
    'shopt -s extglob nullglob',
    'f() { case $1 in @(a|b)) echo "f $1 $plain";; esac; }; g() { echo "g $1"; }; export -f g',
    ' set -o pipefail; set +e; umask 077; mkdir d; cd d; alias hi="echo hi"; shopt -s expand_aliases',
    'trap "echo caught" USR1; set -- one "two three"; IFS=:',
  ].join('\n');
  expect(await session.call(set)).toMatchObject(KEPT);
  const look = [
    'echo "$plain|$SHOWN|${#list[@]}|${list[2]}|${map[k]}|$ref|$fixed|${TZ-none}|${#empty[@]}"',
    'number+=2; low=XYZ; echo "$number $low"; f a; bash -c "g b"; hi',
    'shopt nullglob; set -o | grep pipefail; umask; pwd; printf "%q\\n" "$IFS"',
    'kill -USR1 $$; echo "$# $2"; false; echo on; cd "$OLDPWD"; pwd',
  ].join('\n');
  const outcome = await session.call(look);
  expect(outcome.stdout.split('\n')).toEqual([
    'a  b|1|3|new',
    'line|v w|a  b|7|none|0',
    '7 xyz',
    'f a a  b',
    'g b',
    'hi',
    'nullglob       \ton',
    'pipefail       \ton',
    '0077',
    '/sandbox/d',
    ':',
    'caught',
    '2 two three',
    'on',
    '/sandbox',
    '',
  ]);
});

test('what is local to a function that ends the call stays there', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call('x=1; die() { local x=2 message="no $1"; echo "$message" >&2; exit 3; }');
  expect(await session.call('y=4; die way')).toMatchObject({
    exitCode: 3,
    stderr: 'no way\n',
    session: { state: 'kept' },
  });
  expect(await session.result('echo "$x $y ${message-none}"')).toBe('1 4 none');
});

test.each([
  ['is not to overwrite files', 'set -C'],
  ['splits words at letters', "IFS='e\n'"],
  ['knows no positional words', 'set -u; shift $#'],
  ['has functions by the names of builtins', 'read() { :; }; mapfile() { :; }; compgen() { :; }'],
])('a shell that %s keeps its state over calls', async (_, code) => {
  const session = await SessionSandbox.boot('shell');
  await session.call(`f() { echo "f $x"; }; x=1; ${code}`);
  expect(await session.call('x=$((x + 1))')).toMatchObject(KEPT);
  expect((await session.call('f')).stdout).toBe('f 2\n');
});

test('a program that closes the descriptors of ours keeps no state of its own, and says so', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call('x=1; f() { :; }');
  const outcome = await session.call('x=2; for fd in {100..110}; do exec {fd}>&-; done');
  expect(outcome).toMatchObject({ ...RESTORED, warnings: [expect.stringContaining('as they were before')] });
  expect((await session.call('echo $x; set -o | grep errexit')).stdout).toMatch(/^1\nerrexit\s+on\n$/);
});

test('each call has its own output, inputs and stdin', async () => {
  const session = await SessionSandbox.boot('shell');
  const first = await session.call({
    code: 'cat; echo "$n $m"; n=own',
    inputJson: '{"n":"it\'s","m":2}',
    stdin: 'one\n',
  });
  expect(first).toMatchObject({ ...KEPT, stdout: "one\nit's 2\n" });
  const second = await session.call({ code: 'cat; echo "$n $m"; jq -c . "$HOURGLASS_INPUTS"', inputJson: '{"n":3}' });
  expect(second).toMatchObject({ ...KEPT, stdout: '3 2\n{"n":3}\n' });
});

test.each([
  ['result=4', '4'],
  ['echo "$result"', '"4"'],
  ['result=(1 2)', '[1,2]'],
  ['read -r result <<<5', '5'],
  ['f() { result=6; }; f', '6'],
  ['result+=1', '41'],
  ['unset result; echo out', '"out"'],
  ['true', '""'],
])('after a result of 4, %j has the result %s', async (code, expected) => {
  const session = await SessionSandbox.boot('shell');
  await session.call('result=4');
  expect((await session.call(code)).resultJson).toBe(expected);
});

test('a call that fails, exits or does not parse does not lose the session', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call('x=1');
  expect(await session.call('x=2; exit 3')).toMatchObject({ exitCode: 3, session: { state: 'kept' } });
  expect(await session.call('\nx=3; false')).toMatchObject({ exitCode: 1, error: { line: 2 } });
  expect(await session.call('x=4; nonesuch')).toMatchObject({ exitCode: 127 });
  expect(await session.call('x=5\nif')).toMatchObject({ error: { code: 'SYNTAX_ERROR' }, ...RESTORED });
  expect(await session.result('echo "$x"')).toBe('4');
  expect(await session.call('set -u; echo "$none"')).toMatchObject({ session: { state: 'kept' } });
  expect(await session.call('echo "$none"; echo not here')).toMatchObject({ stdout: '' });
  expect(await session.call('set +u; set -x; x=6')).toMatchObject({ stderr: '+ x=6\n' });
  expect(await session.call('set +x')).toMatchObject({ stderr: '+ set +x\n' });
  expect(await session.call('trap "echo bye" EXIT; x=7')).toMatchObject({ stdout: 'bye\n' });
  expect(await session.call('echo "$x"')).toMatchObject({ ...KEPT, stdout: '7\n' });
});

test.each([
  ['runs too long', 'sleep 300 & while :; do :; done', 1_000, { error: { code: 'TIMEOUT' } }],
  ['kills itself', 'sleep 300 & kill -9 $$', 5_000, { signal: 'SIGKILL' }],
  ['is a fork bomb', 'f() { f | f & f; }; f', 1_000, {}],
  ['needs too much memory', 'y=$(yes | tr -d "\\n")', 20_000, { error: { code: 'MEMORY_LIMIT' } }],
])('a call that %s leaves the state as it was before', async (_, code, timeoutMs, expected) => {
  const session = await SessionSandbox.boot('shell');
  await session.call('x=1');
  expect(await session.call({ code: `x=2; ${code}`, timeoutMs })).toMatchObject({ ...expected, ...RESTORED });
  expect(await session.result('echo "$x"')).toBe('1');
});

test('a program that replaces its shell leaves the state as it was, and says so', async () => {
  const session = await SessionSandbox.boot('shell');
  await session.call('x=1');
  const replaced = await session.call('x=2; exec echo done');
  expect(replaced).toMatchObject({ ...RESTORED, stdout: 'done\n' });
  expect(replaced.warnings).toEqual([expect.stringContaining('as they were before')]);
  expect(await session.result('echo "$x"')).toBe('1');
});

test('background work goes on, is counted and is heard in later calls', async () => {
  const session = await SessionSandbox.boot('shell');
  const started = await session.call('{ while [[ ! -e go ]]; do sleep 0.05; done; echo later; } & result=1');
  expect(started.session).toMatchObject({ state: 'kept' });
  expect(started.session?.background).toBeGreaterThanOrEqual(1);
  expect(await session.call({ code: 'sleep 300', timeoutMs: 700 })).toMatchObject({ error: { code: 'TIMEOUT' } });
  let { stdout } = await session.call('touch go');
  await eventually(
    async () => (stdout += (await session.call('true')).stdout),
    (said) => said === 'later\n',
  );
  await eventually(
    async () => (await session.call('true')).session,
    (state) => state?.background === 0,
  );
});

test('a disk that a call has filled can be emptied by the next', async () => {
  const session = await SessionSandbox.boot('shell');
  expect(await session.call('head -c 1G /dev/zero >/tmp/big || x=full')).toMatchObject(KEPT);
  expect(await session.call({ code: 'rm /tmp/big; cat; echo "$x"', stdin: 'in ' })).toMatchObject({
    ...KEPT,
    stdout: 'in full\n',
  });
});

test('it goes back to a state that is kept, and to no other', async () => {
  const session = await SessionSandbox.boot('shell');
  for (let call = 1; call <= 12; call += 1) await session.call(`x=${call}`);
  expect(await session.next(2)).toBe(false);
  expect(await session.next(8)).toBe(true);
  expect(await session.result('echo "$x"')).toBe('8');
  expect(await session.next(10)).toBe(false);
  expect(await session.result('((x += 100)); echo "$x"')).toBe('108');
  expect(await session.next(8)).toBe(true);
  expect(await session.result('echo "$x"')).toBe('8');
});
