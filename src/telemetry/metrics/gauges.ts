import { LANGUAGES, type Language } from '../../contract';
import type { PoolStats } from '../../pool';
import type { Instruments } from './instruments';

/** Scrapes are seconds apart: what is older than this no dashboard tells from now. */
const SAMPLE_MS = 1_000;

/** What gauges read; each call is cheap. */
export interface GaugeSources {
  readonly pool: { stats(): PoolStats };
  readonly memory: { readonly waiting: number };
  /** Languages of the sessions that are open. */
  readonly sessions: { languages(): readonly Language[] };
}

type GaugeInstruments = Pick<Instruments, 'active' | 'pool' | 'queueLength' | 'sessions' | 'bootFailures'>;

function sample(instruments: GaugeInstruments, memory: GaugeSources['memory'], stats: PoolStats): void {
  const slots = Object.entries(stats.slots) as [keyof PoolStats['slots'], number][];
  for (const [state, count] of slots) instruments.pool(count, { state });
  const active = slots.reduce((sum, [, count]) => sum + count, 0);
  instruments.active(active, {});
  instruments.queueLength(memory.waiting, {});
}

/**
 * Keeps the gauges of a worker at what its parts say, to within a second, until the returned function is called. Does not
 * keep the process alive.
 */
export function sampleGauges(instruments: GaugeInstruments, sources: GaugeSources): () => void {
  let bootFailures = 0;
  const tick = (): void => {
    const stats = sources.pool.stats();
    sample(instruments, sources.memory, stats);
    const open = sources.sessions.languages();
    for (const language of LANGUAGES)
      instruments.sessions(open.filter((other) => other === language).length, { language });
    instruments.bootFailures(stats.bootFailures - bootFailures, {});
    bootFailures = stats.bootFailures;
  };
  tick();
  const timer = setInterval(tick, SAMPLE_MS).unref();
  return () => clearInterval(timer);
}
