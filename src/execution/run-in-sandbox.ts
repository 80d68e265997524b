import { HourglassError } from '../contract';
import type { LeasePhase } from '../leases/lease-store';
import {
  resumeProgram,
  runProgram,
  type Program,
  type ProgramOutcome,
  type RunEvents,
  type RunOptions,
  type StartedProgram,
} from '../runner';
import type { Attempt } from './host';
import type { SandboxLease } from './sandbox-lease';

type RunPhase = Parameters<NonNullable<RunEvents['onPhase']>>[0];

/** What the lease record says of each phase; `staging-in` is what it says from the start. */
const LEASE_PHASE: Readonly<Record<RunPhase, LeasePhase | undefined>> = {
  'staging-in': undefined,
  running: 'started',
  ended: 'ended',
};

/** What a run needs of its lease. */
export type RunPlace = Pick<SandboxLease, 'sandbox' | 'channel' | 'begin' | 'advance'>;

/** Runs the program in the leased sandbox, or goes on with the one that was `started`; resolves and rejects as `runProgram` does. */
export async function runInSandbox(
  lease: RunPlace,
  program: Program,
  attempt: Attempt,
  started: StartedProgram | undefined,
): Promise<ProgramOutcome> {
  const { sandbox, channel } = lease;
  const { signal, progress, log } = attempt;
  const events: RunEvents = {
    onPhase: (phase) => {
      progress.onPhase(phase);
      const leasePhase = LEASE_PHASE[phase];
      if (leasePhase !== undefined) lease.advance(leasePhase);
    },
    onStart: () => lease.begin(),
    onOutput: (stream, chunk, kind) => progress.onOutput(stream, chunk, kind),
    onBytesIn: (bytes) => progress.onBytesIn(bytes),
    onNote: (note) => progress.onNote(note),
  };
  try {
    const options: RunOptions = { signal, end: () => sandbox.end(), kill: () => sandbox.kill() };
    if (started !== undefined) return await resumeProgram(channel, program, started, events, options);
    return await runProgram(channel, program, events, options);
  } catch (error) {
    const isSandboxFault = error instanceof HourglassError && !signal.aborted;
    if (isSandboxFault)
      log.warn({ containerName: sandbox.name, said: sandbox.diagnostics() }, 'A sandbox did not hold');
    throw error;
  }
}
