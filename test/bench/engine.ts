import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../src/config';
import { createBody } from '../../src/engine/container/hardening';
import type { CreateBody } from '../../src/engine/container/create-body';
import { DockerClient } from '../../src/engine/container/docker-client';
import { resolveEndpoint } from '../../src/engine/container/endpoint';
import { writeLabels } from '../../src/engine/container/labels';
import { sandboxKey, sandboxSpec } from '../../src/engine/sandbox-spec';
import { resolveLimits, type ResourceLimits, type Runtime } from '../../src/contract';
import { sandboxImageTag } from '../../infra/setup/index.js';

/** The engine without anything of ours around it. */
export function rawEngine(): DockerClient {
  return new DockerClient(resolveEndpoint(loadConfig().engine.dockerHost));
}

/** What a sandbox of a runtime is made from; limits that are not named are the defaults. */
export function sandboxBody(runtime: Runtime, limits: ResourceLimits = {}): CreateBody {
  const config = loadConfig();
  const spec = sandboxSpec(runtime, [], resolveLimits(limits, config.policy));
  const owner = { hostId: `bench-${randomUUID()}`, workerId: randomUUID() };
  return createBody({
    image: config.engine.image ?? sandboxImageTag(),
    spec,
    runtime: config.engine.runtime,
    leaseMs: config.leaseMs,
    labels: writeLabels(owner, sandboxKey(spec), Date.now()),
  });
}
