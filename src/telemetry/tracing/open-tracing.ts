import type { Log } from '../log';
import { createTracing } from './spans';
import { NO_TRACING, type Tracing } from './tracing';

const ABSENT: ReadonlySet<unknown> = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);

/**
 * Makes spans where `@opentelemetry/api` is installed. Where they go is up to the OpenTelemetry SDK of this process; without
 * one they go nowhere and cost nothing. Never rejects.
 */
export async function openTracing(log: Log): Promise<Tracing> {
  try {
    return createTracing(await import('@opentelemetry/api'));
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && ABSENT.has(error.code);
    if (!isAbsent) log.warn({ error }, 'OpenTelemetry is installed and cannot be used: there are no spans');
    return NO_TRACING;
  }
}
