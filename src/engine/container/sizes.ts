import type { Runtime } from '../../contract';
import type { SandboxSpec } from '../engine';

const MiB = 1024 * 1024;

/**
 * Memory that the guest itself holds when it is READY, in MB: measured in the image, rounded up. Whatever is missing
 * here is missing to the program; whatever is too much lets a program pass its own limit unseen.
 */
const GUEST_MB: Readonly<Record<Runtime, number>> = { python: 13, javascript: 39, shell: 13 };
/** What a preloaded module adds, in MB; modules share what they have in common, so these are upper bounds. */
const PRELOAD_MB: Readonly<Record<string, number>> = { numpy: 7, pandas: 28 };
const OTHER_PRELOAD_MB = 30;
/** Processes and threads of the guest when it is READY, without the one that the program itself becomes. */
const GUEST_PIDS: Readonly<Record<Runtime, number>> = { python: 1, javascript: 6, shell: 1 };

/** A tmpfs by its bounds. */
export interface TmpfsSize {
  readonly bytes: number;
  readonly inodes: number;
}

/** Everything about a container that depends on the spec's numbers. */
export interface SandboxSizes {
  readonly memoryBytes: number;
  readonly pids: number;
  readonly disk: TmpfsSize;
  readonly tmp: TmpfsSize;
  readonly shm: TmpfsSize;
}

/** Memory of the guest with what it preloads, in MB. */
export function guestMemoryMb({ runtime, preload }: Pick<SandboxSpec, 'runtime' | 'preload'>): number {
  return preload.reduce((sum, module) => sum + (PRELOAD_MB[module] ?? OTHER_PRELOAD_MB), GUEST_MB[runtime]);
}

/** Memory a sandbox may take from the host in all, in MB: its program, its guest, and a disk beyond half of its memory. */
export function containerMemoryMb(spec: Pick<SandboxSpec, 'runtime' | 'preload' | 'memoryMb' | 'diskMb'>): number {
  return spec.memoryMb + guestMemoryMb(spec) + Math.max(0, spec.diskMb - Math.floor(spec.memoryMb / 2));
}

/**
 * The sizes of a container.
 *
 * Files in a tmpfs and their inodes (about 1 KiB each) are charged to the container's memory. Full file systems leave
 * room for the program: writing too much reads ENOSPC and never ends as out of memory by itself.
 */
export function sandboxSizes(spec: SandboxSpec): SandboxSizes {
  const { memoryMb, diskMb } = spec;
  const tmpMb = clamp(Math.floor(memoryMb / 4), 4, 64);
  const shmMb = clamp(Math.floor(memoryMb / 16), 1, 16);
  return {
    memoryBytes: containerMemoryMb(spec) * MiB,
    pids: spec.maxPids + GUEST_PIDS[spec.runtime],
    disk: { bytes: diskMb * MiB, inodes: clamp(128 * Math.min(diskMb, Math.floor(memoryMb / 2)), 1_024, 65_536) },
    tmp: { bytes: tmpMb * MiB, inodes: 32 * tmpMb },
    shm: { bytes: shmMb * MiB, inodes: 64 * shmMb },
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
