import { randomUUID } from 'node:crypto';
import type { ContainerEngine } from '../engine/container';
import type { Sandbox, SandboxOwner, SandboxSpec } from '../engine/engine';
import { GuestChannel, runProgram, type Program, type ProgramOutcome, type RunEvents } from '../runner';

/** Where probes run and who answers for their sandboxes. */
export interface ProbePlace {
  readonly engine: ContainerEngine;
  readonly owner: SandboxOwner;
  /** Longest wait for a sandbox to be ready. */
  readonly bootTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** One program of ours, in a sandbox of its own. */
export interface Probe {
  readonly code: string;
  readonly spec: SandboxSpec;
  readonly timeoutMs: number;
  readonly maxOutputBytes?: number;
}

/** A sandbox that is ready for its program. */
export interface ProbeSandbox {
  readonly sandbox: Sandbox;
  /** As the path of every run does it. Rejects with HourglassError, or with the signal's reason when that aborts. */
  readonly run: (probe: Probe, events?: RunEvents, signal?: AbortSignal) => Promise<ProgramOutcome>;
}

/** Small, so that a probe costs a host little; a whole core, so that it boots soon. */
export const PROBE_SPEC: SandboxSpec = {
  ...{ runtime: 'python', preload: [], memoryMb: 128, diskMb: 8, cpuCores: 1, maxPids: 64 },
};
const OUTPUT_BYTES = 64 * 1024;

/**
 * Boots a sandbox as runs do, hands it over, and removes it whatever happens.
 *
 * Rejects with HourglassError, or with the signal's reason; nothing is left then.
 */
export async function inSandbox<T>(
  place: ProbePlace,
  spec: SandboxSpec,
  use: (ready: ProbeSandbox) => Promise<T>,
): Promise<T> {
  const { engine, owner, bootTimeoutMs, signal } = place;
  const sandbox = await engine.boot(spec, owner, signal);
  const channel = GuestChannel.open(sandbox);
  try {
    await channel.waitReady(bootTimeoutMs, signal);
    return await use({
      sandbox,
      run: (probe, events = {}, stop = signal) =>
        runProgram(channel, programOf(probe), events, {
          signal: stop,
          end: () => sandbox.end(),
          kill: () => sandbox.kill(),
        }),
    });
  } finally {
    channel.close();
    await sandbox.destroy();
  }
}

/** Runs one probe in a sandbox of its own and resolves with its outcome. */
export function runProbe(place: ProbePlace, probe: Probe): Promise<ProgramOutcome> {
  return inSandbox(place, probe.spec, ({ run }) => run(probe));
}

function programOf({ code, spec, timeoutMs, maxOutputBytes = OUTPUT_BYTES }: Probe): Program {
  return {
    ...{ code, timeoutMs, maxOutputBytes, memoryMb: spec.memoryMb, diskMb: spec.diskMb },
    ...{ executionId: randomUUID(), language: 'python', inputJson: '{}', stdin: undefined },
    ...{ files: [], saveFigures: false },
  };
}
