import { summarise, type Summary } from './statistics';

/** What a value is measured in; ratios are ours over theirs. */
export type Unit = 'ratio' | 'ms' | 's' | 'MiB' | 'runs/s' | '%';

/** What a row has to reach. */
export interface Goal {
  readonly name: string;
  readonly compare: '<=' | '>=';
  readonly value: number;
  readonly unit: Unit;
}

/** One side of a row: what was timed or counted, in the unit that its label names. */
export interface Side {
  readonly label: string;
  readonly unit: Exclude<Unit, 'ratio'>;
  readonly summary: Summary;
}

/** What one goal came to. */
export interface Measured {
  readonly value: number;
  readonly sides: readonly Side[];
}

/** One row of the benchmark: measures all of its goals in one go. */
export interface Row {
  readonly name: string;
  readonly goals: readonly Goal[];
  /** As many values as there are goals, in their order. Says by `say` what takes long. */
  measure(context: BenchContext): Promise<readonly Measured[]>;
}

export interface BenchContext {
  readonly say: (text: string) => void;
  /** Shortens every row, for a look; the numbers mean little then. */
  readonly quick: boolean;
  /** Lets rows whose goal is about a long time last as long as the goal says. */
  readonly long: boolean;
}

/** A number of repetitions, or a few of them for a quick look. */
export function rounds({ quick }: BenchContext, count: number): number {
  return quick ? Math.max(3, Math.ceil(count / 20)) : count;
}

export function side(label: string, unit: Side['unit'], samples: readonly number[]): Side {
  return { label, unit, summary: summarise(samples) };
}

export function isMet({ compare, value }: Goal, measured: number): boolean {
  return compare === '<=' ? measured <= value : measured >= value;
}
