import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCli } from '../support/cli';

const MAIN = join(__dirname, '../../lib/src/cli/main.js');

beforeAll(buildCli);

/** Runs a line of shell, in which `$CLI` is the command. */
function shell(line: string, cwd = tmpdir()): { status: number | null; stderr: string } {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, CLI: `${process.execPath} ${MAIN}` };
  const { status, stderr } = spawnSync('bash', ['-c', line], { cwd, env, encoding: 'utf8' });
  return { status, stderr };
}

test('a stdout that is full ends a command with 74 and one line', () => {
  const { status, stderr } = shell('$CLI config > /dev/full');
  expect(status).toBe(74);
  expect(stderr).toMatch(/^hourglass: INPUT_OUTPUT: stdout could not be written: .*ENOSPC.*\n$/);
});

test('a reader that has gone ends nothing', () => {
  expect(shell('$CLI config | head -1; exit ${PIPESTATUS[0]}')).toEqual({ status: 0, stderr: '' });
});

test('a current folder that was removed is said in one line', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hourglass-gone-'));
  try {
    const { status, stderr } = shell('rmdir "$PWD"; $CLI config', dir);
    expect(status).toBe(66);
    expect(stderr).toBe('hourglass: NO_INPUT: the current folder is gone: change to one that is there\n');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
