import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executionResultSchema } from '../../src/contract';
import type { CliProcess, CommandEnd } from '../support/cli';
import { CliSetup } from '../support/cli-setup';
import type { WorkerPlace } from '../support/test-worker';

let setup: CliSetup;
let place: WorkerPlace;

beforeAll(async () => {
  setup = await CliSetup.open();
  ({ place } = setup);
});

afterAll(async () => {
  await setup?.close();
});

const hourglass = (...argv: string[]): Promise<CommandEnd> => setup.command(...argv);

function file(name: string, content: string): string {
  writeFileSync(join(place.dir, name), content);
  return name;
}

describe('a run with a worker of its own', () => {
  test('takes files and inputs in, brings output and files out, and leaves nothing behind', async () => {
    file('in.csv', 'a\n1\n2\n');
    const program = file(
      'sum.py',
      'import sys\nrows = open("in.csv").read().split()[1:]\nprint("out")\nprint("err", file=sys.stderr)\n' +
        'open("total.txt", "w").write(str(sum(map(int, rows)) * factor))\nresult = {"rows": len(rows)}\n',
    );
    const end = await hourglass('run', program, ...'--in in.csv --out *.txt --out-dir got --input factor=7'.split(' '));
    expect(end).toMatchObject({ exitCode: 0, stdout: 'out\n' });
    expect(end.stderr).toContain('one in this process');
    expect(end.stderr).toMatch(/err\n[^]*✔ python program, exit code 0[^]*"rows": 2[^]*total\.txt/);
    expect(readFileSync(join(place.dir, 'got/total.txt'), 'utf8')).toBe('21');
    expect(readFileSync(place.file('total.txt'), 'utf8')).toBe('21');
    expect(readdirSync(place.file('.'))).not.toContain('cli');
    expect(await place.containers()).toEqual([]);
    expect(await place.leases()).toEqual([]);
  });

  test('whose files cannot be copied shows its result all the same, and exits with 73', async () => {
    const argv = ['run', file('saves.py', 'open("kept.txt", "w").write("x")\n5'), '--out', 'kept.txt'];
    const end = await hourglass(...argv, '--out-dir', file('no-folder', ''), '--json');
    expect(executionResultSchema.parse(JSON.parse(end.stdout))).toMatchObject({ result: 5 });
    expect(end.stderr).toMatch(/CANNOT_CREATE: cannot copy to .*no-folder\/kept\.txt: /);
    expect(end.exitCode).toBe(73);
    expect(readFileSync(place.file('kept.txt'), 'utf8')).toBe('x');
  });

  test('whose workspace cannot be is told which variable names it', async () => {
    const settings = { HOURGLASS_WORKSPACE_DIR: join(place.dir, file('no-workspace', '')) };
    const argv = ['run', file('reads.py', '1'), '--in', file('in.txt', 'x')];
    const end = await setup.start(argv, { settings }).ended;
    expect(end.stderr).toMatch(/WORKSPACE_ERROR: .*not a directory \(ENOTDIR\); HOURGLASS_WORKSPACE_DIR says/);
    expect(end.exitCode).toBe(74);
  });

  test('with --json prints the result and nothing else on stdout', async () => {
    const { stdout, exitCode } = await hourglass('run', file('j.py', 'print("x")\n[1, 2]'), '--json');
    expect(exitCode).toBe(0);
    expect(executionResultSchema.parse(JSON.parse(stdout))).toMatchObject({ result: [1, 2], stdout: 'x\n' });
  });

  test('reads a program from stdin', async () => {
    const end = await setup.start(['run', '-', '--language', 'shell'], { stdin: 'echo "$((6 * 7))"' }).ended;
    expect(end).toMatchObject({ exitCode: 0, stdout: '42\n' });
  });

  test('exits with the code of the program', async () => {
    const end = await hourglass('run', file('exit.sh', 'echo before\nexit 3'));
    expect(end).toMatchObject({ exitCode: 3, stdout: 'before\n' });
    expect(end.stderr).toContain('RUNTIME_ERROR');
  });

  test('exits with 124 on a timeout, and shows what was printed until then', async () => {
    const end = await hourglass('run', file('slow.sh', 'echo begun\nsleep 60'), '--timeout', '1s');
    expect(end).toMatchObject({ exitCode: 124, stdout: 'begun\n' });
    expect(end.stderr).toContain('Execution timed out after 1000ms');
  });

  test('exits with 77 where the policy denies what is asked for, and names the limit', async () => {
    const end = await hourglass('run', file('x.sh', ':'), '--timeout', '10m', '--json');
    expect(end.exitCode).toBe(77);
    expect(JSON.parse(end.stdout)).toMatchObject({ failure: { code: 'POLICY_DENIED', retryable: false } });
    expect(end.stderr).toMatch(/timeout.*600000.*300000/);
  });

  test('is cancelled by Ctrl-C: 130, and no sandbox is left', async () => {
    const run = setup.start(['run', file('wait.sh', 'echo begun\nsleep 60')]);
    await run.printed('begun');
    run.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 130 });
    expect(await place.containers()).toEqual([]);
  });
});

describe('a run with a worker elsewhere', () => {
  let worker: CliProcess;

  beforeAll(async () => {
    worker = await setup.worker();
    await worker.printed('"taskQueue"');
  });

  test('uses that worker, says so, and prints the output once', async () => {
    const end = await hourglass('run', file('hello.py', 'print("hello")'));
    expect(end).toMatchObject({ exitCode: 0, stdout: 'hello\n' });
    expect(end.stderr).toMatch(/Worker: hourglass\S+, which is running/);
    expect(end.stderr).not.toContain('in this process');
  });

  test('stages local files through the workspace they share', async () => {
    file('data.txt', 'shared');
    const end = await hourglass('run', file('cat.sh', 'cat d/x.txt'), '--in', 'data.txt:d/x.txt');
    expect(end).toMatchObject({ exitCode: 0, stdout: 'shared' });
    expect(existsSync(place.file('cli'))).toBe(false);
  });

  test('SIGTERM ends the worker with 0', async () => {
    worker.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ exitCode: 0 });
    expect(await place.containers()).toEqual([]);
  });
});
