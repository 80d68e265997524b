import { type Step } from '../../support/javascript-session';

/** A call and what is expected of it: fields of its answer. */
export type Call = readonly [step: Step | string, expected: object];

/** Sessions, each with the calls that it consists of. */
export type Table = readonly (readonly [title: string, ...calls: Call[]])[];

/** A call in TypeScript. */
export function ts(code: string): Step {
  return { code, spec: { language: 'typescript' } };
}

/** The answer of a call that ended well with a result. */
export function result(value: unknown): object {
  return { exitCode: 0, error: null, result: value };
}

/** The answer of a call that ended well without one. */
export const nothing = { exitCode: 0, error: null, hasResult: false };

/** A text that contains another. */
export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

/** The answer of a call that an error of a class ended. */
export function failed(type: string, line?: number, message?: string): object {
  const place = line === undefined ? {} : { line };
  const words = message === undefined ? {} : { message: containing(message) };
  const error = expect.objectContaining({ type, ...place, ...words }) as unknown;
  return { exitCode: 1, hasResult: false, error };
}
