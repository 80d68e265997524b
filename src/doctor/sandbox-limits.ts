import { HourglassError } from '../contract';
import { failure, pass, warning, type Verdict } from './check';
import { LIMIT_PROBES } from './limit-probes';
import { inSandbox, PROBE_SPEC, runProbe, type ProbePlace } from './probe';

export type LimitName = keyof typeof LIMIT_PROBES;

/** What a kernel of its own, as with gVisor, means for limits that it does not have or counts in its own way. */
const WITH_OWN_KERNEL: Readonly<Partial<Record<LimitName, string>>> = {
  inodes: 'a sandbox with a kernel of its own bounds them by memory',
  pids: 'a sandbox with a kernel of its own does not know this limit',
  cpu: 'a sandbox with a kernel of its own counts processor time by its own clock',
};

/**
 * Runs one limit's program into its limit. Rejects with HourglassError, or with the signal's reason.
 *
 * @param hasOwnKernel whether sandboxes have a kernel of their own
 */
export async function probeLimit(place: ProbePlace, name: LimitName, hasOwnKernel = false): Promise<Verdict> {
  const reason = hasOwnKernel ? WITH_OWN_KERNEL[name] : undefined;
  if (reason === undefined) return measure(place, name);
  const remedy = 'see "A second wall: gVisor" in the README; use runc where this limit has to be exact';
  try {
    const verdict = await measure(place, name);
    return verdict.status === 'failure' ? warning(`${verdict.detail}; ${reason}`, remedy) : verdict;
  } catch (error) {
    if (!(error instanceof HourglassError) || error.code !== 'SANDBOX_LOST') throw error;
    return warning(`a program beyond the limit ended its whole sandbox; ${reason}`, remedy);
  }
}

async function measure(place: ProbePlace, name: LimitName): Promise<Verdict> {
  const { probe, judge } = LIMIT_PROBES[name];
  if (name === 'output') return probeOutput(place);
  return judge(await runProbe(place, probe));
}

/** Beside what the worker keeps, the engine must keep nothing: its log files grow without a bound. */
async function probeOutput(place: ProbePlace): Promise<Verdict> {
  const { probe, judge } = LIMIT_PROBES.output;
  return inSandbox(place, probe.spec, async ({ sandbox, run }) => {
    const verdict = judge(await run(probe));
    const file = await place.engine.logFile(sandbox.containerId);
    if (file === undefined) return verdict;
    return failure('the engine writes what sandboxes print into a file', 'let the engine carry out log driver "none"');
  });
}

/** Kills a whole container, the backstop where a guest does not answer, and measures until it is dead. */
export function probeKill(place: ProbePlace): Promise<Verdict> {
  return inSandbox(place, PROBE_SPEC, async ({ sandbox }) => {
    const startedAt = performance.now();
    await sandbox.kill();
    const { exitCode, lost } = await sandbox.end();
    const ms = Math.ceil(performance.now() - startedAt);
    if (exitCode === 137 || lost) return pass(`a sandbox was dead ${ms} ms after the order`);
    return failure(
      `a sandbox was alive ${ms} ms after the order to kill it`,
      'restart the engine, and look at its log',
    );
  });
}
