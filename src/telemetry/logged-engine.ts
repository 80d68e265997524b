import type { Engine } from '../engine/engine';
import type { Log } from './log';

/** The engine with the reference's events of a sandbox's birth in the log. */
export function loggedEngine(engine: Engine, log: Log): Engine {
  return {
    idleMemoryMb: (spec) => engine.idleMemoryMb(spec),
    kind: engine.kind,
    image: engine.image,
    info: () => engine.info(),
    ping: (signal) => engine.ping(signal),
    close: () => engine.close(),
    removeContainer: (containerId) => engine.removeContainer(containerId),
    attach: (running, signal) => engine.attach(running, signal),
    boot: async (spec, owner, signal, options) => {
      const { runtime, preload, ...limits } = spec;
      log.info({ language: runtime, preload, limits }, 'Creating sandbox container');
      const sandbox = await engine.boot(spec, owner, signal, options);
      log.info({ containerName: sandbox.name, containerId: sandbox.containerId }, 'Container created');
      return sandbox;
    },
  };
}
