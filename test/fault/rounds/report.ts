import { ExecutionCancelled } from '../../../src/client';
import { HourglassError } from '../../../src/contract';
import type { Executions } from './executions';
import type { Account } from './ledger';
import type { SessionCounts } from './sessions';

/** What a run of rounds came to. */
export interface Tally {
  readonly executions: Pick<Executions, 'accepted' | 'accounts'>;
  readonly sessions: SessionCounts;
  /** How often each fault happened. */
  readonly done: ReadonlyMap<string, number>;
  /** A sentence for each promise that did not hold. */
  readonly faults: readonly string[];
}

function outcomeOf({ outcome }: Account): string {
  if (outcome instanceof ExecutionCancelled) return outcome.how;
  if (outcome instanceof HourglassError) return outcome.code;
  if (outcome instanceof Error) return outcome.name;
  return outcome.success ? 'right result' : 'failed program';
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}

/** The counts, and what is wrong, as text. */
export function describeTally({ executions: { accepted, accounts }, sessions, done, faults }: Tally): string {
  const many = (pattern: RegExp): number => faults.filter((fault) => pattern.test(fault)).length;
  const rerun = accounts.filter(({ idempotent, starts }) => idempotent && starts.size > 1).length;
  return [
    ...faults.map((fault) => `FAULT ${fault}`),
    `faults       ${[...done].map(([name, count]) => `${count} ${name}`).join(', ')}`,
    `accepted     ${accepted}, finished ${accounts.length}: ${counted(accounts.map(outcomeOf))}`,
    `sessions     ${sessions.sessions}, ${sessions.calls} calls: ${sessions.lost} SESSION_LOST, ${sessions.unknown} OUTCOME_UNKNOWN`,
    `run again    ${rerun} that may run twice`,
    `lost         ${many(/: (lost|failed)/)}`,
    `ran twice    ${many(/: ran /)}`,
    `wrong        ${many(/: wrong/)}`,
    `left over    ${many(/^left over/)}`,
    `workers      ${many(/^worker/)} did not end well`,
  ].join('\n');
}
