export { openTracing } from './open-tracing';
export { NO_TRACING, type AttemptTrace, type Tracing } from './tracing';
