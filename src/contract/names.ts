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

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

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

/** Name that a request chooses for an input: an identifier that does not replace what a runtime needs. */
export const inputNameSchema = z
  .string()
  .max(BOUNDS.idLength)
  .regex(NAME, 'must be an identifier: letters, digits, _ and $, not starting with a digit')
  .refine((name) => !RESERVED.has(name), 'is reserved by the runtimes');

/**
 * Key of `inputData`: any short text.
 *
 * Keys that are no identifiers, or that a runtime needs itself, reach the program in `inputs` (shell: in the JSON file) only.
 */
export const inputKeySchema = z
  .string()
  .min(1, 'is empty')
  .max(BOUNDS.idLength, `is longer than ${BOUNDS.idLength} characters`)
  .refine((key) => key !== '__proto__', 'would change the prototype of the inputs')
  .refine((key) => !CONTROL.test(key), 'holds a control character');
