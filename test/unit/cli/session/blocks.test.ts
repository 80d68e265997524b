import { readWish, type Wish } from '../../../../src/cli/session/blocks';
import type { PromptEvent } from '../../../../src/cli/session/prompt-input';

const lines = (...typed: string[]): PromptEvent => ({ kind: 'lines', lines: typed });
const interrupt = (hadText = false): PromptEvent => ({ kind: 'interrupt', hadText });

/** What comes of events in Python; `firsts` says for each whether the first prompt was shown. */
async function read(...events: PromptEvent[]): Promise<{ wish: Wish; firsts: boolean[]; drops: number }> {
  const firsts: boolean[] = [];
  let drops = 0;
  const next = async (isFirst: boolean): Promise<PromptEvent> => {
    firsts.push(isFirst);
    return events.shift() ?? { kind: 'end' };
  };
  const wish = await readWish('python', next, () => (drops += 1));
  return { wish, firsts, drops };
}

test('a line is a program, blank ones before it are none', async () => {
  expect(await read(lines(''), lines('  '), lines('x = 1'))).toMatchObject({
    wish: { kind: 'program', code: 'x = 1' },
    firsts: [true, true, true],
  });
});

test('a block goes on until it is whole', async () => {
  expect(await read(lines('if x:'), lines('  y()'), lines(''))).toMatchObject({
    wish: { kind: 'program', code: 'if x:\n  y()\n' },
    firsts: [true, false, false],
  });
});

test('lines that come at once are one block, with the empty lines in it', async () => {
  const { wish } = await read(lines('def f():', '  a = 1', '', '  return a', 'f()'));
  expect(wish).toEqual({ kind: 'program', code: 'def f():\n  a = 1\n\n  return a\nf()' });
});

test('Ctrl-C drops a block, and a line that is half typed', async () => {
  expect(await read(lines('if x:'), interrupt(), interrupt(true), lines('1'))).toMatchObject({
    wish: { kind: 'program', code: '1' },
    firsts: [true, false, true, true],
    drops: 2,
  });
});

test('Ctrl-C where there is nothing asks for a hint, the end of the input leaves', async () => {
  expect((await read(interrupt())).wish).toEqual({ kind: 'hint' });
  expect((await read(lines('x = ['))).wish).toEqual({ kind: 'leave' });
});

test('a command counts as the first line only', async () => {
  expect((await read(lines('.files'))).wish).toMatchObject({ kind: 'dot', command: { name: 'files' } });
  expect((await read(lines('x = ['), lines('.files'), lines(']'))).wish).toMatchObject({
    kind: 'program',
    code: 'x = [\n.files\n]',
  });
});
