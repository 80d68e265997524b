import { sandboxImageTag } from '../../infra/setup/image/inputs.js';
import type { ContainerEngine } from '../engine/container';
import type { EngineFacts } from '../engine/container/engine-facts';
import { SANDBOX_UID } from '../engine/container/hardening';
import { sandboxSizes } from '../engine/container/sizes';
import type { SandboxOwner } from '../engine/engine';
import type { Log } from '../telemetry/log';
import { accept, type Acceptable } from './accepted';
import type { Check } from './check';
import { checkEngine } from './engine-checks';
import { checkImage } from './image-check';
import { PROBE_SPEC } from './probe';
import { checkSandbox, type SandboxDemands } from './sandbox-checks';
import { askSandbox } from './sandbox-facts';

/** Checks that fail because of a setting alone. */
const SETTINGS = ['runtime'];
/** Warnings that `hourglass doctor` gives, and that no start needs to repeat. */
const KNOWN = ['cgroups', 'swap-limit', 'live-restore'];

/**
 * This host does not keep what is promised; its name says whether a setting is to blame (`HostMisconfiguredError`) or the
 * host (`HostUnfitError`). The message lists what failed, each with its remedy.
 */
export class HostUnfitError extends Error {
  override readonly name: string;

  constructor(readonly failures: readonly Check[]) {
    const lines = failures.map(({ name, detail, remedy }) => `  ${name}: ${detail}; ${remedy}`);
    super(['This host does not keep what a worker promises ("hourglass doctor" checks more):', ...lines].join('\n'));
    this.name = failures.every(({ name }) => SETTINGS.includes(name)) ? 'HostMisconfiguredError' : 'HostUnfitError';
  }
}

/** What a worker asks of its host. */
export interface StartDemands {
  readonly engine: ContainerEngine;
  readonly runtime: string | undefined;
  readonly bootTimeoutMs: number;
  readonly accepted: readonly Acceptable[];
  readonly log: Log;
}

/** The demands on a sandbox of `PROBE_SPEC`; a share of processors that the engine cannot give may be accepted. */
export function sandboxDemands(facts: EngineFacts, accepted: readonly Acceptable[]): SandboxDemands {
  const hasNoShare = facts.cpuLimit === false && accepted.includes('cpu-limit');
  return {
    sizes: sandboxSizes(PROBE_SPEC),
    cpuCores: hasNoShare ? undefined : PROBE_SPEC.cpuCores,
    uid: SANDBOX_UID,
    hostKernel: facts.kernel,
  };
}

/** The short form of `hourglass doctor` that a worker goes through before it serves. */
export class StartCheck {
  constructor(private readonly demands: StartDemands) {}

  /** Judges the engine by its own words, and the image. Rejects with HostUnfitError, or HourglassError ENGINE_UNAVAILABLE. */
  async requireEngine(facts: EngineFacts): Promise<void> {
    const { engine, runtime } = this.demands;
    const image = checkImage(engine.image, await engine.imageLabels(), sandboxImageTag({}));
    this.#require([...checkEngine(facts, { runtime }), { name: 'image', ...image }]);
  }

  /**
   * Looks into a sandbox and removes it. Rejects with HostUnfitError, with HourglassError where none boots, or with the
   * signal's reason; nothing is left in any case.
   */
  async requireSandbox(facts: EngineFacts, owner: SandboxOwner, signal: AbortSignal | undefined): Promise<void> {
    const { engine, bootTimeoutMs, accepted } = this.demands;
    const place = { engine, owner, bootTimeoutMs, signal: signal ?? new AbortController().signal };
    this.#require(checkSandbox(await askSandbox(place), sandboxDemands(facts, accepted)));
  }

  #require(found: readonly Check[]): void {
    const checks = found.map((check) => accept(check, this.demands.accepted));
    const failures = checks.filter(({ status }) => status === 'failure');
    if (failures.length > 0) throw new HostUnfitError(failures);
    for (const { name, status, detail, remedy } of checks) {
      if (status === 'warning' && !KNOWN.includes(name))
        this.demands.log.warn({ check: name, found: detail, remedy }, 'A check of this host warns');
    }
  }
}
