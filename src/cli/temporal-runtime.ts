import type { HourglassConfig } from '../config';
import type { Log } from '../telemetry/log';
import { CliError } from './errors';
import { EXIT } from './exit-codes';

let installed = false;

/**
 * Gives Temporal's runtime our log and our metrics, and leaves signals to the command: the SDK would stop the worker at Ctrl-C
 * before the command has cancelled what runs. Once a process; later calls change nothing.
 */
export async function installRuntime(log: Log, { observe }: HourglassConfig): Promise<void> {
  if (installed) return;
  installed = true;
  const { installTemporalRuntime } = await import('../telemetry/temporal-runtime.js');
  try {
    installTemporalRuntime(log, observe);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`HOURGLASS_METRICS_ADDRESS is ${observe.metricsAddress}: ${reason}`, EXIT.CONFIG, {
      cause: error,
    });
  }
}
