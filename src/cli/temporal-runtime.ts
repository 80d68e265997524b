import type { HourglassConfig } from '../config';
import type { Log } from '../telemetry/log';

let installed = false;

/**
 * Gives Temporal's runtime our log and our metrics, and leaves signals to the command: the SDK would stop the worker at Ctrl-C
 * before the command has cancelled what runs. Once a process; later calls change nothing.
 *
 * Rejects with ConfigError where the address of the metrics cannot be listened at.
 */
export async function installRuntime(log: Log, { observe }: HourglassConfig): Promise<void> {
  if (installed) return;
  installed = true;
  const { installTemporalRuntime } = await import('../telemetry/temporal-runtime.js');
  installTemporalRuntime(log, observe);
}
