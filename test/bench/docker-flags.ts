import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateBody } from '../../src/engine/container/create-body';

const SECCOMP = 'seccomp=';

/** The same container for the `docker` command; `remove` takes the profile's file away. */
export function dockerFlags({ HostConfig: host, User, WorkingDir }: CreateBody): {
  flags: string[];
  remove: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'hourglass-bench-'));
  const profile = join(folder, 'seccomp.json');
  const flags = [
    `--memory=${host.Memory}`,
    `--memory-swap=${host.MemorySwap}`,
    `--cpu-period=${host.CpuPeriod}`,
    `--cpu-quota=${host.CpuQuota}`,
    `--pids-limit=${host.PidsLimit}`,
    `--oom-score-adj=${host.OomScoreAdj}`,
    ...host.Ulimits.map(({ Name, Soft, Hard }) => `--ulimit=${Name}=${Soft}:${Hard}`),
    '--read-only',
    ...Object.entries(host.Tmpfs).map(([path, options]) => `--tmpfs=${path}:${options}`),
    `--shm-size=${host.ShmSize}`,
    `--network=${host.NetworkMode}`,
    `--ipc=${host.IpcMode}`,
    `--cgroupns=${host.CgroupnsMode}`,
    ...host.CapDrop.map((name) => `--cap-drop=${name}`),
    ...host.SecurityOpt.map((option) => `--security-opt=${option.startsWith(SECCOMP) ? SECCOMP + profile : option}`),
    '--log-driver=none',
    `--user=${User}`,
    `--workdir=${WorkingDir}`,
  ];
  const seccomp = host.SecurityOpt.find((option) => option.startsWith(SECCOMP)) ?? SECCOMP;
  writeFileSync(profile, seccomp.slice(SECCOMP.length));
  return { flags, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
