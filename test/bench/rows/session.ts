import { randomUUID } from 'node:crypto';
import type { Language } from '../../../src/contract';
import { BenchSession } from '../bench-session';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { median, timed } from '../statistics';
import { TemporalSetup } from '../temporal-setup';
import { WarmHost } from '../warm-host';

const PAIRS = 60;
/** A session goes over into a next run after 500 updates: one of them is enough. */
const UPDATES = 300;
const PROGRAMS = { python: 'pass', javascript: '0', shell: ':' } as const satisfies Partial<Record<Language, string>>;

async function measureCalls(language: keyof typeof PROGRAMS, context: BenchContext): Promise<Measured> {
  const code = PROGRAMS[language];
  const host = await WarmHost.open();
  const calls: number[] = [];
  const firstRuns: number[] = [];
  try {
    const session = await BenchSession.open(host.test, language);
    await session.call(code);
    await host.run({ language, code });
    for (let round = 0; round < rounds(context, PAIRS); round += 1) {
      await host.quiet(1, 1);
      calls.push(await timed(() => session.call(code)));
      firstRuns.push(await timed(() => host.runWarm({ language, code })));
    }
    await session.close();
  } finally {
    await host.close();
  }
  const sides = [side(`call of a ${language} session`, 'ms', calls), side(`warm ${language} run`, 'ms', firstRuns)];
  return { value: median(calls) / median(firstRuns), sides };
}

const LANGUAGES = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[];

export const SESSION_CALLS: readonly Row[] = LANGUAGES.map((language) => ({
  name: `session-${language}`,
  goals: [{ name: `call of a ${language} session / first run`, compare: '<=', value: 1.5, unit: 'ratio' }],
  measure: async (context) => [await measureCalls(language, context)],
}));

async function measureUpdates(context: BenchContext): Promise<readonly Measured[]> {
  const setup = await TemporalSetup.open({ sessions: true });
  const calls: number[] = [];
  const nothing: number[] = [];
  try {
    const session = setup.hourglass.session({ sessionId: `bench-${randomUUID()}`, language: 'python' });
    const noop = await setup.start('noopUpdates', { language: 'python', code: 'pass' });
    const request = { language: 'python', code: 'pass', executionId: 'one' } as const;
    const call = async (): Promise<void> => {
      const { success } = await session.run('pass');
      if (!success) throw new Error('a call of the benchmark failed');
    };
    const update = (): Promise<unknown> => noop.executeUpdate('noop', { args: [request] });
    await call();
    await update();
    for (let pair = 0; pair < rounds(context, UPDATES); pair += 1) {
      calls.push(await timed(call));
      nothing.push(await timed(update));
    }
    await noop.terminate();
    await session.close();
  } finally {
    await setup.close();
  }
  const sides = [side('session.run() to its result', 'ms', calls), side('update that calls a no-op', 'ms', nothing)];
  return [{ value: median(calls) / median(nothing), sides }];
}

export const SESSION_UPDATE: Row = {
  name: 'session-update',
  goals: [{ name: 'session update to result / no-op update, p50', compare: '<=', value: 1.2, unit: 'ratio' }],
  measure: measureUpdates,
};
