import { join } from 'node:path';
import { TypeScriptProcess } from '../support/typescript-process';

const ROUNDS = 4;
const TIME_MS = 10 * 60_000;

test(
  'random faults lose nothing, run nothing twice and leave nothing behind',
  async () => {
    const run = new TypeScriptProcess(join(__dirname, 'rounds', 'main.ts'), ['--rounds', String(ROUNDS)]);
    const { code, stderr } = await run.end();
    process.stdout.write(`${run.lines.join('\n')}\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(run.lines).toContainEqual(expect.stringMatching(/^accepted {5}[1-9]/));
  },
  TIME_MS,
);
