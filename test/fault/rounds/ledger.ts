import { ExecutionCancelled } from '../../../src/client';
import { HourglassError, type ExecutionResult } from '../../../src/contract';

/** What an execution came to: its result, or what its caller caught. */
export type Outcome = ExecutionResult | Error;

/** What is known of one execution from outside. */
export interface Account {
  readonly name: string;
  readonly idempotent: boolean;
  readonly outcome: Outcome;
  /** Marks of its starts, as somebody saw them who has nothing to do with Hourglass. */
  readonly starts: ReadonlySet<string>;
  /** Content of its output file; undefined where there is none. */
  readonly output: string | undefined;
}

/** What was done to executions on purpose. */
export interface Deeds {
  /** Names of the executions that were cancelled or terminated. */
  readonly ended: ReadonlySet<string>;
  /** Names of the sandboxes that were killed. */
  readonly killed: ReadonlySet<string>;
}

const isLost = (outcome: Outcome): boolean => outcome instanceof HourglassError && outcome.code === 'SANDBOX_LOST';

const isUnheard = (outcome: Outcome): boolean =>
  outcome instanceof HourglassError && outcome.code === 'OUTCOME_UNKNOWN' && outcome.details.hostId === undefined;

/** A sandbox that was killed costs one execution at most. */
export function unexplainedLosses(accounts: readonly Account[], { killed }: Deeds): string[] {
  const losses = accounts.filter(({ outcome }) => isLost(outcome)).length;
  return losses > killed.size ? [`all: lost ${losses} sandboxes, of which ${killed.size} were killed`] : [];
}

/** What an account says against Hourglass; empty where all is as promised. */
export function faultsOf(account: Account, deeds: Deeds): string[] {
  const { outcome, starts, idempotent } = account;
  const twice = !idempotent && starts.size > 1 ? [`ran ${starts.size} times`] : [];
  return [
    ...twice,
    ...(outcome instanceof Error ? faultsOfError(account, outcome, deeds) : faultsOfResult(account, outcome)),
  ];
}

function faultsOfResult({ starts, output }: Account, { success, result, stdout, error }: ExecutionResult): string[] {
  if (!success) return [`failed by itself: ${error?.code} ${error?.message}`];
  const faults = [];
  const token = result as string;
  if (!starts.has(token)) faults.push(`wrong result: ${JSON.stringify(result)} is none of its starts`);
  if (stdout !== `${token}\nend\n`) faults.push(`wrong stdout: ${JSON.stringify(stdout)}`);
  if (output !== result) faults.push(`wrong output file: ${JSON.stringify(output)}`);
  return faults;
}

function faultsOfError({ name }: Account, error: Error, { ended, killed }: Deeds): string[] {
  if (error instanceof ExecutionCancelled && ended.has(name)) return [];
  if (isLost(error) && killed.size > 0) return [];
  // Where a server or a worker was away before the first heartbeat of an attempt was heard, nobody can know more.
  if (isUnheard(error)) return [];
  const code = error instanceof HourglassError ? `${error.code} ${JSON.stringify(error.details)} ` : '';
  return [`lost: ${error.name} ${code}${error.message}`];
}
