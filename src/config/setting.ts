import type { Source } from './errors';
import type { ConfigField } from './variable';

/** One setting with the value that is in effect. */
export interface Setting {
  readonly field: ConfigField;
  readonly name: string;
  readonly source: Source;
  /** In the variable's own unit; `(hidden)` for secrets, null where nothing is set. */
  readonly value: unknown;
  readonly unit?: string;
  readonly rule: string;
  readonly description: string;
}
