import { failure, pass, type Verdict } from './check';
import { LIMIT_PROBES } from './limit-probes';
import { inSandbox, PROBE_SPEC, runProbe, type ProbePlace } from './probe';

export type LimitName = keyof typeof LIMIT_PROBES;

/** Runs one limit's program into its limit. Rejects with HourglassError, or with the signal's reason. */
export async function probeLimit(place: ProbePlace, name: LimitName): Promise<Verdict> {
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
