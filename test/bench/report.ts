import { cpus, loadavg, release, totalmem } from 'node:os';
import { table } from '../../src/cli/table';
import { isMet, type Goal, type Measured, type Unit } from './row';
import type { Summary } from './statistics';

/** One goal of a row after it was measured, as `--json` prints it. */
export interface Outcome extends Measured {
  readonly row: string;
  readonly name: string;
  readonly unit: Unit;
  /** Such as `<= 0.3`. */
  readonly goal: string;
  readonly goalMet: boolean;
}

/** What the machine was while the benchmark ran. */
export interface MachineFacts {
  readonly processors: string;
  readonly memoryMib: number;
  readonly kernel: string;
  readonly node: string;
  readonly loadAverage: readonly number[];
}

export function machineFacts(): MachineFacts {
  const processors = cpus();
  return {
    processors: `${processors.length} x ${processors[0]?.model ?? 'unknown'}`,
    memoryMib: Math.round(totalmem() / 1_048_576),
    kernel: release(),
    node: process.version,
    loadAverage: loadavg().map((load) => Math.round(load * 100) / 100),
  };
}

export function outcomeOf(row: string, goal: Goal, measured: Measured): Outcome {
  const { name, unit, compare, value } = goal;
  const goalMet = isMet(goal, measured.value);
  return { row, name, unit, goal: `${compare} ${value}`, goalMet, value: round(measured.value), sides: measured.sides };
}

/** The table for people: a line for each goal, and one for each of its sides. */
export function tableOf(outcomes: readonly Outcome[]): string[] {
  const rows = outcomes.flatMap(({ name, unit, goal, goalMet, value, sides }) => [
    [name, `${value} ${unit}`, goal, goalMet ? 'met' : 'MISSED', '', '', ''],
    ...sides.map(({ label, unit: sideUnit, summary }) => [`  ${label}`, sideUnit, '', '', ...numbers(summary)]),
  ]);
  return table(['row', 'value', 'goal', '', 'min', 'median', 'p99'], rows);
}

function numbers({ min, median, p99 }: Summary): string[] {
  return [min, median, p99].map((value) => String(round(value)));
}

/** Three digits that count. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}
