import { sandboxImageTag } from '../../../infra/setup/image/inputs.js';
import type { HourglassConfig } from '../../config/config';
import type { Log } from '../../telemetry/log';
import { ContainerEngine } from './container-engine';
import { DockerClient } from './docker-client';
import { resolveEndpoint } from './endpoint';

export { ContainerEngine } from './container-engine';
export { containerMemoryMb } from './sizes';

/** The container engine that a configuration asks for. Asks nothing of Docker yet. */
export function createContainerEngine(config: Pick<HourglassConfig, 'engine' | 'leaseMs'>, log: Log): ContainerEngine {
  const { image, dockerHost, runtime, bootTimeoutMs, accepted } = config.engine;
  const options = {
    ...{ image: image ?? sandboxImageTag(), runtime, bootTimeoutMs, leaseMs: config.leaseMs },
    acceptsNoCpuLimit: accepted.includes('cpu-limit'),
  };
  return new ContainerEngine(new DockerClient(resolveEndpoint(dockerHost)), options, log);
}
