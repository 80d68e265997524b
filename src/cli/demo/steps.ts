import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionRequest, ExecutionResult, Language } from '../../contract';
import { packageRoot } from '../../../infra/setup/root.js';
import type { Expected } from './sales';

/** One program of the demo. */
export interface Step {
  readonly language: Language;
  /** File below examples/programs. */
  readonly program: string;
  readonly label: string;
  /** Workspace files it reads and writes. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** What it found, in a few words. */
  summarise(result: Facts): string;
  /** What is wrong with its result; empty when nothing is. */
  check(result: Facts, expected: Expected): readonly string[];
}

type Facts = Readonly<Record<string, unknown>>;

/** Files of the demo belong to a tenant of their own. */
export const DEMO_TENANT = { workspaceId: 'demo', userId: 'default' } as const;

function differs(what: string, found: unknown, expected: unknown): string[] {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  return a === b ? [] : [`${what} is ${a}, and should be ${b}`];
}

/** Floating point sums in another order differ in the last digits. */
function differsInMoney(what: string, found: unknown, expected: number): string[] {
  return Math.abs(Number(found) - expected) < 0.01 ? [] : [`${what} is ${String(found)}, and should be ${expected}`];
}

const CLEAN: Step = {
  language: 'python',
  program: 'clean.py',
  label: 'clean and add up the sales',
  reads: ['sales.csv'],
  writes: ['summary.csv', 'figure-1.png'],
  summarise: ({ rows_read, rows_kept, revenue }) =>
    `${String(rows_kept)} of ${String(rows_read)} rows kept, revenue ${String(revenue)} EUR`,
  check: (found, expected) => [
    ...differs('the number of rows', found.rows_read, expected.rowsRead),
    ...differs('the number of rows that were kept', found.rows_kept, expected.rowsKept),
    ...differsInMoney('the revenue', found.revenue, expected.revenue),
  ],
};

const REPORT: Step = {
  language: 'javascript',
  program: 'report.js',
  label: 'report by region',
  reads: ['summary.csv'],
  writes: ['report.json'],
  summarise: ({ regions, best }) => `${String(regions)} regions, the best is ${String(best)}`,
  check: (found, expected) => [
    ...differs('the number of regions', found.regions, expected.regions.length),
    ...differs('the best region', found.best, expected.regions[0]),
    ...differsInMoney('the revenue', found.revenue, expected.revenue),
  ],
};

const AUDIT: Step = {
  language: 'typescript',
  program: 'audit.ts',
  label: 'validate and grade the report',
  reads: ['report.json'],
  writes: ['audit.json'],
  summarise: ({ valid, shares }) => `${String(valid)} valid entries, shares add up to ${String(shares)}`,
  check: (found, expected) => [
    ...differs('the number of valid entries', found.valid, expected.regions.length),
    ...differs('the sum of shares', found.shares, 1),
  ],
};

const TOP: Step = {
  language: 'shell',
  program: 'top.sh',
  label: 'products that sold most',
  reads: ['sales.csv'],
  writes: ['products.csv', 'top.json'],
  summarise: (found) => `top product ${String((found[0] as Facts | undefined)?.product)}`,
  check: (found, expected) => differs('the list of products', found, expected.top),
};

/** Steps of one stage do not depend on each other; each stage reads what the one before it wrote. */
export const STAGES: readonly (readonly Step[])[] = [[CLEAN, TOP], [REPORT], [AUDIT]];

/** The request that runs a step. */
export function requestOf({ language, program, label, reads, writes }: Step): ExecutionRequest {
  return {
    ...DEMO_TENANT,
    language,
    label,
    code: readFileSync(join(packageRoot(), 'examples', 'programs', program), 'utf8'),
    inputFiles: reads.map((path) => ({ path })),
    // The figure is saved without being asked for.
    outputFiles: writes.filter((path) => path !== 'figure-1.png').map((sandboxPath) => ({ sandboxPath })),
    timeout: 120_000,
    resourceLimits: { memoryMb: 512, cpuCores: 1 },
  };
}

/** Everything that is wrong with what a step left behind. */
export function faultsOf(step: Step, result: ExecutionResult, expected: Expected): readonly string[] {
  if (result.error !== undefined) return [`${result.error.code}: ${result.error.traceback ?? result.error.message}`];
  const saved = new Set(result.savedFiles.filter(({ size }) => size > 0).map(({ workspacePath }) => workspacePath));
  const missing = step.writes.filter((path) => !saved.has(path)).map((path) => `${path} was not saved`);
  return [...missing, ...step.check((result.result ?? {}) as Facts, expected)];
}
