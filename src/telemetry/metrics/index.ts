import { noopMetricMeter, type MetricMeter } from '@temporalio/common';
import { createInstruments, type Instruments } from './instruments';

export { HISTOGRAM_BUCKETS, METRICS, type MetricDefinition } from './definitions';
export { sampleBacklog } from './backlog';
export { createExecutionMetrics, NO_METRICS, type ExecutionMetrics } from './execution-metrics';
export { sampleGauges } from './gauges';
export type { Instruments } from './instruments';

/** The instruments of a worker; undefined where its meter leads nowhere, so that nothing is measured for nobody. */
export function instrumentsOf(meter: MetricMeter): Instruments | undefined {
  return meter === noopMetricMeter ? undefined : createInstruments(meter);
}
