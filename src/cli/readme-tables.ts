import { VARIABLES } from '../config/variables';
import { FAILURES, LIMITS, type FailureDefinition, type LimitDefinition } from '../contract';
import { METRICS, type MetricDefinition } from '../telemetry/metrics/definitions';

const NONE = '–';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function limitRow([name, limit]: [string, LimitDefinition]): string[] {
  const numbers = [limit.default, limit.min, limit.policyMax, limit.ceiling].map((value) => String(value ?? NONE));
  return [`\`${name}\``, limit.unit, ...numbers, limit.description];
}

function failureRow([code, failure]: [string, FailureDefinition]): string[] {
  const delay = failure.nextRetryDelayMs === undefined ? 'yes' : `yes, after ${failure.nextRetryDelayMs} ms`;
  return [`\`${code}\``, failure.fault, failure.retryable ? delay : 'no', failure.meaning];
}

interface VariableFacts {
  readonly name: string;
  readonly description: string;
  readonly default: unknown;
  /** From the field's unit to the variable's, where they differ. */
  readonly show?: (value: never) => unknown;
}

/** Defaults that depend on the machine or on other variables are told by the description. */
function defaultOf({ default: field, show }: VariableFacts): string {
  const value = show === undefined ? field : show(field as never);
  if (Array.isArray(value)) return value.join(',') || 'none';
  return ['string', 'number', 'boolean'].includes(typeof value) ? `${value as string | number | boolean}` : NONE;
}

/** The README's tables as Markdown, by name, made from the tables the code works by. */
export function tables(): Readonly<Record<'limits' | 'failures' | 'configuration' | 'metrics', string>> {
  const variables = Object.values(VARIABLES) as readonly VariableFacts[];
  return {
    limits: table(
      ['limit', 'unit', 'default', 'least', 'most by default', 'most an operator may allow', 'what it bounds'],
      Object.entries(LIMITS).map(limitRow),
    ),
    failures: table(['type', 'whose fault', 'retried', 'meaning'], Object.entries(FAILURES).map(failureRow)),
    configuration: table(
      ['variable', 'default', 'meaning'],
      variables.map((variable) => [`\`${variable.name}\``, defaultOf(variable), variable.description]),
    ),
    metrics: table(
      ['metric', 'kind', 'labels', 'meaning'],
      Object.values<MetricDefinition>(METRICS).map(({ name, kind, labels, meaning }) => [
        `\`${name}\``,
        kind,
        labels.join(', ') || NONE,
        meaning,
      ]),
    ),
  };
}
