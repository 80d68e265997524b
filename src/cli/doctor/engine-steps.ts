import { randomBytes, randomUUID } from 'node:crypto';
import { sandboxImageTag } from '../../../infra/setup/image/inputs.js';
import type { HourglassConfig } from '../../config';
import { pass } from '../../doctor/check';
import { checkEngine, ENGINE_CHECKS } from '../../doctor/engine-checks';
import { checkImage } from '../../doctor/image-check';
import { LIMIT_PROBES } from '../../doctor/limit-probes';
import type { ProbePlace } from '../../doctor/probe';
import { checkSandbox, SANDBOX_CHECKS } from '../../doctor/sandbox-checks';
import { askSandbox } from '../../doctor/sandbox-facts';
import { sandboxDemands } from '../../doctor/start-check';
import { probeKill, probeLimit, type LimitName } from '../../doctor/sandbox-limits';
import { createContainerEngine, type ContainerEngine } from '../../engine/container';
import type { EngineFacts } from '../../engine/container/engine-facts';
import { SILENT } from '../../telemetry/log';
import type { Step } from './examination';

/** A probe's guest ends itself after this, should the doctor be killed, in ms. */
const LEASE_MS = 60_000;
const ENGINE_NAMES = Object.keys(ENGINE_CHECKS);
const SANDBOX_NAMES = ['sandbox', ...Object.keys(SANDBOX_CHECKS)];
const NEEDED_TO_BOOT = ['engine', 'runtime', 'image'];

const START_ENGINE =
  'start a Docker engine, or let DOCKER_HOST name one that runs; "hourglass setup" says what is missing';
const LOOK_AT_ENGINE = 'look at the log of the engine, and run it again';

/** Everything about the engine and its sandboxes, as steps. `close` when all of them were taken. */
export class EngineSteps {
  #engine: ContainerEngine | undefined;
  #facts: EngineFacts | undefined;
  #hasOwnKernel = false;
  // An id of its own: a worker on this host takes the probes for another host's and leaves them alone.
  readonly #owner = { hostId: `doctor-${randomBytes(4).toString('hex')}`, workerId: randomUUID() };

  constructor(private readonly config: HourglassConfig) {}

  steps(): Step[] {
    return [this.#answers(), this.#image(), this.#sandbox(), ...this.#limits(), this.#kill()];
  }

  async close(): Promise<void> {
    await this.#engine?.close();
  }

  #answers(): Step {
    return {
      ...{ names: ENGINE_NAMES, needs: [], remedy: START_ENGINE },
      run: async () => {
        this.#engine = createContainerEngine({ ...this.config, leaseMs: LEASE_MS }, SILENT);
        const facts = await this.#engine.facts();
        this.#facts = facts;
        return checkEngine(facts, { runtime: this.config.engine.runtime });
      },
    };
  }

  #image(): Step {
    return {
      ...{ names: ['image'], needs: ['engine'], remedy: LOOK_AT_ENGINE },
      run: async () => [checkImage(this.#opened.image, await this.#opened.imageLabels(), sandboxImageTag({}))],
    };
  }

  #sandbox(): Step {
    return {
      ...{ names: SANDBOX_NAMES, needs: NEEDED_TO_BOOT, remedy: LOOK_AT_ENGINE },
      run: async (signal) => {
        const startedAt = performance.now();
        const inside = await askSandbox(this.#place(signal));
        const whole = pass(`booted, asked and removed in ${Math.ceil(performance.now() - startedAt)} ms`);
        if (this.#facts === undefined) throw new Error('the engine was not asked yet');
        this.#hasOwnKernel = inside.kernel !== this.#facts.kernel;
        return [whole, ...checkSandbox(inside, sandboxDemands(this.#facts, this.config.engine.accepted))];
      },
    };
  }

  #limits(): Step[] {
    return (Object.keys(LIMIT_PROBES) as LimitName[]).map((name) => ({
      ...{ names: [name], needs: ['sandbox'], remedy: LOOK_AT_ENGINE },
      run: async (signal) => [await probeLimit(this.#place(signal), name, this.#hasOwnKernel)],
    }));
  }

  #kill(): Step {
    return {
      ...{ names: ['kill'], needs: ['sandbox'], remedy: LOOK_AT_ENGINE },
      run: async (signal) => [await probeKill(this.#place(signal))],
    };
  }

  get #opened(): ContainerEngine {
    if (this.#engine === undefined) throw new Error('the engine was not asked yet');
    return this.#engine;
  }

  #place(signal: AbortSignal): ProbePlace {
    const { bootTimeoutMs } = this.config.engine;
    return { engine: this.#opened, owner: this.#owner, bootTimeoutMs, signal };
  }
}
