import { HourglassError } from '../contract';
import type { LeasePhase } from '../leases/lease-store';
import { runProgram, type Program, type ProgramOutcome, type RunEvents } from '../runner';
import type { Attempt } from './host';
import type { SandboxLease } from './lease-sandbox';

type RunPhase = Parameters<NonNullable<RunEvents['onPhase']>>[0];

/** What the lease record says of each phase; `staging-in` is what it says from the start. */
const LEASE_PHASE: Readonly<Record<RunPhase, LeasePhase | undefined>> = {
  'staging-in': undefined,
  running: 'started',
  ended: 'ended',
};

/** Runs the program in the leased sandbox; resolves and rejects as `runProgram` does. */
export async function runInSandbox(lease: SandboxLease, program: Program, attempt: Attempt): Promise<ProgramOutcome> {
  const { sandbox, channel } = lease;
  const { signal, progress, log } = attempt;
  const events: RunEvents = {
    onPhase: (phase) => {
      progress.onPhase(phase);
      const leasePhase = LEASE_PHASE[phase];
      if (leasePhase !== undefined) lease.advance(leasePhase);
    },
    onOutput: (stream, chunk, kind) => progress.onOutput(stream, chunk, kind),
    onBytesIn: (bytes) => progress.onBytesIn(bytes),
  };
  try {
    return await runProgram(channel, program, events, {
      signal,
      end: () => sandbox.end(),
      kill: () => sandbox.kill(),
    });
  } catch (error) {
    const isSandboxFault = error instanceof HourglassError && !signal.aborted;
    if (isSandboxFault)
      log.warn({ containerName: sandbox.name, said: sandbox.diagnostics() }, 'A sandbox did not hold');
    throw error;
  }
}
