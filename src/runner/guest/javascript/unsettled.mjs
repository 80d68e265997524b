/** A program whose top level awaits something that never comes, as Node puts it. */
import { CODE, showPlace } from './stack-text.mjs';

/** The error of such a program; the line is known where it awaits at one place only. */
export function describeUnsettled(awaits, lines, name = CODE) {
  const place = awaits.length === 1 ? awaits[0] : undefined;
  const message = 'The program ended while its top-level await had not settled: nothing is left that could settle it';
  const shown = `Warning: Detected unsettled top-level await${place === undefined ? '' : ` at ${showPlace(name, lines, place)}`}`;
  return {
    code: 'RUNTIME_ERROR',
    type: 'UnsettledTopLevelAwait',
    message,
    line: place?.line,
    traceback: shown.trimEnd(),
  };
}
