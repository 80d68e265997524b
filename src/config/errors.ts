/** Where a value came from. */
export type Source = 'default' | 'env' | 'file';

/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  readonly name: string;
  /** Unknown for what turns out only when the value is used. */
  readonly source?: Source;
  /** The value as given, quoted; `(hidden)` for secrets. */
  readonly value: string;
  /** What the value breaks, as a phrase that follows the name. */
  readonly rule: string;
}

/** The configuration is not valid. Lists everything that is wrong at once, without secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    super(['The configuration is not valid:', ...problems.map(describe)].join('\n'));
  }
}

function describe({ name, source, value, rule }: ConfigProblem): string {
  return `  ${name}=${value}${source === undefined ? '' : ` (${source})`}: ${rule}`;
}
