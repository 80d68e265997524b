import type { MetricMeter } from '@temporalio/common';
import { METRICS, type LabelName, type LabelValues, type MetricDefinition } from './definitions';

type Labels<Name extends LabelName> = { readonly [Label in Name]: LabelValues[Label] };
type MetricKey = keyof typeof METRICS;

/** Takes one value with exactly the labels of its metric: adds to a counter, sets a gauge, records into a histogram. */
export type Instrument<Name extends LabelName = never> = (value: number, labels: Labels<Name>) => void;

/** One instrument for each metric. */
export type Instruments = { readonly [Key in MetricKey]: Instrument<(typeof METRICS)[Key]['labels'][number]> };

function create(meter: MetricMeter, { name, kind, unit, meaning }: MetricDefinition): Instrument<LabelName> {
  switch (kind) {
    case 'counter': {
      const counter = meter.createCounter(name, unit, meaning);
      return (value, labels) => counter.add(value, labels);
    }
    case 'gauge': {
      const gauge = meter.createGauge(name, 'int', unit, meaning);
      return (value, labels) => gauge.set(value, labels);
    }
    case 'histogram': {
      const histogram = meter.createHistogram(name, unit === 's' ? 'float' : 'int', unit, meaning);
      return (value, labels) => histogram.record(value, labels);
    }
  }
}

/** Makes every instrument of the table, once for a worker's life. */
export function createInstruments(meter: MetricMeter): Instruments {
  const made = Object.entries(METRICS).map(([key, definition]) => [key, create(meter, definition)]);
  return Object.fromEntries(made) as Instruments;
}
