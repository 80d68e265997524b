import type { HourglassConfig } from './config';
import type { Parser } from './parsers';
import type { Places } from './places';

/** What a default may depend on. */
export interface DefaultContext {
  readonly places: Places;
  /** Whether a person reads our log on a terminal. */
  readonly terminal: boolean;
  /** Whether a variable has a value in the environment or the file. */
  readonly isSet: (this: void, name: string) => boolean;
}

/** A default that follows from the machine or from other settings. */
export type DerivedDefault<T> = (context: DefaultContext) => T;

/** One setting: its name outside, its parser, its default, and what the documentation says of it. */
export interface Variable<T> {
  readonly name: string;
  readonly unit?: string;
  readonly parser: Parser<T>;
  readonly default: T | DerivedDefault<T>;
  readonly description: string;
  /** Never printed. */
  readonly secret?: true;
  /** The value in the variable's own unit, where the configuration keeps another. */
  readonly show?: (this: void, value: T) => unknown;
}

type Leaf = string | number | boolean | readonly unknown[];
type FieldPath<T, Prefix extends string = ''> = {
  [K in keyof T & string]: NonNullable<T[K]> extends Leaf ? `${Prefix}${K}` : FieldPath<T[K], `${Prefix}${K}.`>;
}[keyof T & string];
type FieldValue<T, Path> = Path extends `${infer Head}.${infer Rest}`
  ? FieldValue<T[Head & keyof T], Rest>
  : T[Path & keyof T];

/** A field of the configuration by its dotted path, such as `temporal.address`. */
export type ConfigField = FieldPath<HourglassConfig>;

/** One variable for each field, of the field's own type. */
export type VariableTable = { readonly [Path in ConfigField]: Variable<FieldValue<HourglassConfig, Path>> };
