import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TypeScriptProcess } from '../../../support/typescript-process';
import type { StartFacts } from './many-lines-process';

const LINES = 40_000;
/** Of a million lines, no more than 300 MB; a line of this file is longer than that. */
const BYTES_A_LINE = 300;

const folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeRequests(): void {
  const request = { language: 'python', code: `# ${'x'.repeat(2 * BYTES_A_LINE)}` };
  for (let first = 0; first < LINES; first += 1_000) {
    const lines = Array.from(
      { length: 1_000 },
      (_, at) => `${JSON.stringify({ id: `line-${first + at}`, request })}\n`,
    );
    appendFileSync(join(folder, 'in.jsonl'), lines.join(''));
  }
}

/** Starts the batch in a process of its own, which can say what it holds. */
async function start(): Promise<StartFacts> {
  const child = new TypeScriptProcess(join(__dirname, 'many-lines-process.ts'), [folder], ['--expose-gc']);
  expect(await child.end()).toMatchObject({ code: 0, signal: null, stderr: '' });
  return JSON.parse(child.lines.at(-1) ?? '{}') as StartFacts;
}

function answeredIds(): Set<unknown> {
  const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').split('\n').filter(Boolean);
  expect(lines).toHaveLength(LINES);
  return new Set(lines.map((line) => (JSON.parse(line) as { id: unknown }).id));
}

test('of forty thousand lines each is answered once, by a process that holds no line but those that run', async () => {
  writeRequests();
  const first = await start();
  expect(first).toMatchObject({ ran: LINES, skipped: 0 });
  expect(first.heldBytes / LINES).toBeLessThan(BYTES_A_LINE);
  expect(answeredIds().size).toBe(LINES);
  const second = await start();
  expect(second).toMatchObject({ ran: 0, skipped: LINES });
  expect(second.heldBytes / LINES).toBeLessThan(BYTES_A_LINE);
  expect(answeredIds().size).toBe(LINES);
});
