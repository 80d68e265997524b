import { setup } from '../../infra/setup/index.js';
import { createReporter } from '../../infra/setup/report.js';
import type { HourglassConfig } from '../config';
import { fillEnvironment } from '../config/env';

type Reporter = ReturnType<typeof createReporter>;
type SetUp = Awaited<ReturnType<typeof setup>>;

/** Steps that are over sooner are not shown. */
const QUIET_MS = 1_500;

/** Runs the named steps of set-up, or all of them, and shows how they go. */
export function prepare(
  config: HourglassConfig,
  only: string[] | undefined,
  output: NodeJS.WriteStream,
): Promise<SetUp> {
  showToSetup(config);
  return setup({ ...(only === undefined ? {} : { only }), reporter: createReporter(output) });
}

/**
 * Makes sure of the engine and the sandbox image, and resolves with a configuration that names the engine.
 *
 * Says nothing when all is there; on stderr what it does when that takes time. Rejects with SetupError.
 */
export async function prepareSandboxes(config: HourglassConfig): Promise<HourglassConfig> {
  showToSetup(config);
  const only = config.engine.image === undefined ? ['engine', 'image'] : ['engine'];
  const { engine } = await setup({ only, reporter: patient(() => createReporter(process.stderr)) });
  const dockerHost = engine === undefined || engine.isDefault ? config.engine.dockerHost : engine.dockerHost;
  return { ...config, engine: { ...config.engine, dockerHost } };
}

/** Set-up runs before our packages are there, so it reads the environment and knows nothing of the file. */
function showToSetup({ engine, temporal, cacheDir }: HourglassConfig): void {
  fillEnvironment({
    DOCKER_HOST: engine.dockerHost,
    TEMPORAL_CLI_PATH: temporal.cliPath,
    HOURGLASS_CACHE_DIR: cacheDir,
  });
}

/** A reporter that comes to life only when there is something to wait for, or to explain. */
function patient(create: () => Reporter): Reporter {
  let real: Reporter | undefined;
  const running = new Map<string, string>();
  const wake = (): Reporter => {
    if (real !== undefined) return real;
    real = create();
    for (const [name, why] of running) real.start(name, why);
    return real;
  };
  const timer = setTimeout(wake, QUIET_MS);
  return {
    start: (name, why) => {
      running.set(name, why);
      real?.start(name, why);
    },
    progress: (name, text) => real?.progress(name, text),
    done: (name, way) => {
      running.delete(name);
      real?.done(name, way);
    },
    failed: (name, message) => wake().failed(name, message),
    close: () => {
      clearTimeout(timer);
      real?.close();
    },
  };
}
