import { expandBraces } from './glob-braces';
import { matchesSegment, parseSegment, type Segment } from './glob-segment';

/** A pattern that would take too long on the names at hand. */
export class GlobTooCostly extends Error {
  override readonly name = 'GlobTooCostly';
}

/** Steps of comparison that a selection may take, some nanoseconds each; shared by all its globs. */
export class GlobBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  /** Throws GlobTooCostly when nothing is left. */
  readonly spend = (steps: number): void => {
    this.#left -= steps;
    if (this.#left < 0) throw new GlobTooCostly('the pattern needs too many steps');
  };
}

const GLOBSTAR = '**';
type Part = Segment | typeof GLOBSTAR;

/**
 * A glob as in bash with globstar and without extglob: `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]`, `{a,b}`, `{1..3}`, and `**` for any number
 * of folders; a leading dot of a name is matched by a dot only. There are no escapes: paths hold no backslash.
 *
 * Takes time proportional to pattern times path at most, whatever they are: both come from strangers.
 */
export class Glob {
  readonly #alternatives: readonly (readonly Part[])[];
  /** Whether it can match more than the file of that very name. */
  readonly isPattern: boolean;

  /** Throws GlobTooCostly for braces with too many alternatives. */
  constructor(pattern: string) {
    const texts = expandBraces(pattern);
    if (texts === undefined) throw new GlobTooCostly('its braces have too many alternatives');
    this.#alternatives = texts.map(parse);
    this.isPattern = texts.length > 1 || texts[0] !== pattern || /[*?]|\[[^]+\]/.test(pattern);
  }

  /** Whether a relative path of a file matches. Throws GlobTooCostly when the budget is spent. */
  matches(path: string, budget: GlobBudget): boolean {
    const names = path.split('/');
    return this.#alternatives.some((parts) => matchesParts(parts, names, budget));
  }
}

function parse(pattern: string): Part[] {
  const parts = pattern.split('/').map((text): Part => (text === GLOBSTAR ? GLOBSTAR : parseSegment(text)));
  // At the end it stands for files at any depth, not for the folder itself.
  return parts.at(-1) === GLOBSTAR ? [...parts, parseSegment('*')] : parts;
}

/** Only the last globstar ever needs to be tried again: what came before it has matched as early as it can. */
function matchesParts(parts: readonly Part[], names: readonly string[], budget: GlobBudget): boolean {
  let [part, name] = [0, 0];
  let retry: { part: number; name: number } | undefined;
  while (name < names.length || part < parts.length) {
    const wanted = parts[part];
    if (wanted === GLOBSTAR) {
      part += 1;
      retry = { part, name };
    } else if (wanted !== undefined && name < names.length && matchesSegment(wanted, names[name] ?? '', budget.spend)) {
      part += 1;
      name += 1;
    } else if (retry !== undefined && retry.name < names.length && !isHidden(names[retry.name])) {
      retry.name += 1;
      ({ part, name } = retry);
    } else {
      return false;
    }
  }
  return true;
}

function isHidden(name: string | undefined): boolean {
  return name === undefined || name.startsWith('.');
}
