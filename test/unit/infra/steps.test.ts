import { SetupError } from '../../../infra/setup/errors.js';
import { createReporter } from '../../../infra/setup/report.js';
import { runSteps } from '../../../infra/setup/steps.js';

type Step = Parameters<typeof runSteps>[0][number];

const lines: string[] = [];
const reporter = createReporter({ write: (text: string) => lines.push(text.trimEnd()) }, {});
const step = (name: string, needs: string[], run: Step['run']): Step => ({ name, why: `brings ${name}`, needs, run });

describe('steps of the set-up', () => {
  beforeEach(() => lines.splice(0));
  afterAll(() => reporter.close());

  test('a step sees the results of what it needs', async () => {
    const results = await runSteps(
      [
        step('one', [], async () => ({ way: 'made', value: 1 })),
        step('two', ['one'], async (_, { one }) => ({ way: `from ${one.value}` })),
      ],
      reporter,
    );
    expect(results.two).toEqual({ way: 'from 1' });
  });

  test('steps that need nothing of each other run at the same time', async () => {
    let release = (): void => undefined;
    const opened = new Promise<void>((resolve) => (release = resolve));
    await runSteps(
      [
        step('waits', [], async () => opened.then(() => ({ way: 'let through' }))),
        step('opens', [], async () => {
          release();
          return { way: 'opened' };
        }),
      ],
      reporter,
    );
    expect(lines).toContainEqual(expect.stringMatching(/^\[waits\] done in [\d.]+ s: let through$/));
  });

  test('each step says what it does, then which way it took and how long', async () => {
    await runSteps([step('one', [], async () => ({ way: 'made' }))], reporter);
    expect(lines).toEqual(['[one] brings one', expect.stringMatching(/^\[one\] done in \d+\.\d s: made$/)]);
  });

  test('after a failure the others end, what needs it does not start, and the error names what is missing', async () => {
    const run = runSteps(
      [
        step('bad', [], async () => Promise.reject(new SetupError('type this'))),
        step('needs-bad', ['bad'], async () => ({ way: 'never' })),
        step('good', [], async () => ({ way: 'made' })),
      ],
      reporter,
    );
    await expect(run).rejects.toMatchObject({
      message: 'Not ready: bad, needs-bad. The reason is above.',
      reason: 'Not ready: bad, needs-bad. bad: type this',
    });
    expect(lines).toContainEqual(expect.stringMatching(/^\[bad\] failed after .*: type this$/));
    expect(lines).toContainEqual(expect.stringMatching(/^\[good\] done/));
    expect(lines.join()).not.toContain('[needs-bad]');
  });
});

describe('on a terminal', () => {
  test('running steps have a line each that is drawn again, and ended ones stay', () => {
    const written: string[] = [];
    const live = createReporter(
      { isTTY: true, columns: 60, write: (text: string) => written.push(text) },
      { NO_COLOR: '1' },
    );
    live.start('image', 'builds the image');
    live.progress('image', 'x'.repeat(200));
    live.start('engine', 'starts');
    live.done('engine', 'started');
    live.close();
    const [ended, running] = written.at(-1)?.split('\n') ?? [];
    expect(ended).toBe('\u001b[2A\u001b[J✔ engine (0.0 s): started');
    expect(running).toMatch(/^. image .*x{10,}$/);
    expect(running?.length).toBeLessThan(60);
  });
});

test('R44: words of other programs cannot move the terminal', async () => {
  const shown: string[] = [];
  const output = { isTTY: true, columns: 80, write: (text: string) => shown.push(text) };
  const live = createReporter(output, { NO_COLOR: '1' });
  await runSteps([step('pull', [], async (say) => ({ way: (say('\u001b]0;x\u0007'), 'done\u009b2J\r') }))], live);
  live.close();
  // eslint-disable-next-line no-control-regex
  expect(shown.join('').replace(/\u001b\[\d+A\u001b\[J/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});
