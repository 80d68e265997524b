import { z } from 'zod';
import { BOUNDS } from './limits';

/** Ids of tenants, executions and sessions: safe as a file name, a label and a Temporal id. */
export const idSchema = z
  .string()
  .min(1)
  .max(BOUNDS.idLength)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@:+-]*$/,
    'must start with a letter or digit and hold only letters, digits and . _ @ : + -',
  );

// A name becomes a global in two languages and an environment variable in the third.
const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

// Names that would replace what the runtimes themselves need. Names that steer bash or the loader are not here:
// they are harmless as Python or JavaScript globals, and shell programs get them in the JSON file only.
const RESERVED = new Set([
  '__proto__',
  'constructor',
  'prototype',
  '__builtins__',
  '__name__',
  '__file__',
  '__spec__',
  '__loader__',
  '__import__',
  'globalThis',
  'inputs',
]);

/** Name of an input: an identifier that does not replace what a runtime needs. */
export const inputNameSchema = z
  .string()
  .max(BOUNDS.idLength)
  .regex(NAME, 'must be an identifier: letters, digits, _ and $, not starting with a digit')
  .refine((name) => !RESERVED.has(name), 'is reserved by the runtimes');
