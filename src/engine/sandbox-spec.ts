import { createHash } from 'node:crypto';
import type { ResolvedLimits, Runtime } from '../contract';
import type { SandboxSpec } from './engine';

const KEY_LENGTH = 16;

/** The sandbox that a program of this runtime and these limits needs. */
export function sandboxSpec(runtime: Runtime, preload: readonly string[], limits: ResolvedLimits): SandboxSpec {
  const { memoryMb, diskMb, cpuCores, maxPids } = limits;
  return { runtime, preload: [...new Set(preload)].sort(), memoryMb, diskMb, cpuCores, maxPids };
}

/** Equal for specs whose sandboxes are interchangeable, and for no others. */
export function sandboxKey(spec: SandboxSpec): string {
  const { runtime, preload, memoryMb, diskMb, cpuCores, maxPids } = spec;
  const text = JSON.stringify([runtime, preload, memoryMb, diskMb, cpuCores, maxPids]);
  return createHash('sha256').update(text).digest('hex').slice(0, KEY_LENGTH);
}
