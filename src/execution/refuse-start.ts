import { HourglassError } from '../contract';

/** Whether a program may start is for the store to know: where it takes no records, none starts. Throws ENGINE_UNAVAILABLE. */
export function refuseStart(error: unknown): never {
  const message = `the program cannot be started here: its record cannot be written: ${String(error)}`;
  throw new HourglassError('ENGINE_UNAVAILABLE', message, {}, { cause: error });
}
