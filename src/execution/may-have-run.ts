import { HourglassError } from '../contract';

/** The same failure, which is not retried: the program may have run, and does not run again. */
export function mayHaveRun(error: unknown): HourglassError {
  const known = error instanceof HourglassError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const details = { ...known?.details, mayHaveRun: true };
  return new HourglassError(known?.code ?? 'INTERNAL_ERROR', message, details, { cause: known?.cause ?? error });
}
