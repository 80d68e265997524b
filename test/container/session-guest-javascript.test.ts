import { type Answer, runSessions, type Session, type Step } from '../support/javascript-session';
import { AWAITED, MODULES, TYPESCRIPT } from './session-javascript/modules';
import { ENDS, ERRORS, RESULTS } from './session-javascript/outcomes';
import { REDECLARED, STATE } from './session-javascript/state';
import { LONG, SURROUNDINGS } from './session-javascript/surroundings';
import { type Call, type Table } from './session-javascript/table';

const GROUPS: Readonly<Record<string, Table>> = {
  'the state of a session': STATE,
  'what is declared again': REDECLARED,
  modules: MODULES,
  'the top level': AWAITED,
  results: RESULTS,
  errors: ERRORS,
  'the end of a call': ENDS,
  'what a call finds': SURROUNDINGS,
  TypeScript: TYPESCRIPT,
  'a long life': LONG,
};

function stepOf([step]: Call): Step {
  const asked: Step = typeof step === 'string' ? { code: step } : step;
  return asked;
}

/** Listens after the call where something is expected to come later. */
function listening(call: Call): Step {
  const [, expected] = call;
  const isLater = typeof expected === 'object' && expected !== null && 'later' in expected;
  return isLater ? { ...stepOf(call), waitMs: 1_500 } : stepOf(call);
}

describe('a JavaScript session', () => {
  const rows = Object.entries(GROUPS).flatMap(([group, table]) =>
    table.map(([title, ...calls]) => ({ group, title, calls })),
  );
  let sessions: readonly Session[] = [];

  beforeAll(async () => {
    sessions = await runSessions(rows.map(({ calls }) => calls.map(listening)));
    // Thousands of calls, each answered before the next: a machine that does other things takes its time.
  }, 400_000);

  test.each(rows.map(({ group, title, calls }, index) => [`${group}: ${title}`, calls, index] as const))(
    '%s',
    (_, calls, index) => {
      const { ready, answers, ended } = sessions[index] ?? { ready: undefined, answers: [], ended: undefined };
      expect(ready).toBe('{"ready":true}\n');
      const shown = calls.map((call, n) => ({ code: stepOf(call).code, ...answers[n] }));
      const wanted = calls.map((call) => ({ code: stepOf(call).code, ...call[1] }));
      shown.forEach((answer, n) => expect(answer).toMatchObject(wanted[n] ?? {}));
      if (answers.every((answer) => !('ended' in answer))) expect(ended).toBe(0);
    },
  );

  const answersOf = (title: string): readonly Answer[] =>
    sessions[rows.findIndex((row) => row.title === title)]?.answers ?? [];

  test('a thousand calls have as many descriptors, resources and listeners as the first one', () => {
    const [answer] = answersOf('a thousand calls leave nothing behind');
    const first = (answer?.first as Answer | undefined)?.result as number[];
    const last = answer?.result as number[];
    expect(Math.max(...last.map((count, index) => count - (first[index] ?? 0)))).toBeLessThanOrEqual(1);
  });

  test('all of a large output comes with its call', () => {
    const [answer] = answersOf('a large output is there when the call is over');
    expect([String(answer?.stdout).length, String(answer?.stderr).length]).toEqual([1e6 + 1, 5e5 + 1]);
  });
});
