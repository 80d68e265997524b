/** Alternatives one pattern may have. */
const MAX_ALTERNATIVES = 1_000;
const RANGE = /^(-?\d{1,9})\.\.(-?\d{1,9})$/;

/**
 * The patterns that braces stand for, as in bash: `{a,b}` and `{1..3}`, nested too; braces of another form are characters.
 *
 * Undefined where there are more than 1,000.
 */
export function expandBraces(pattern: string): readonly string[] | undefined {
  let done: string[] = [''];
  for (let at = 0; at < pattern.length;) {
    const end = pattern[at] === '{' ? closingBrace(pattern, at) : undefined;
    const choices = end === undefined ? undefined : alternatives(pattern.slice(at + 1, end));
    if (choices === 'too many') return undefined;
    const next = choices ?? [pattern[at] ?? ''];
    if (done.length * next.length > MAX_ALTERNATIVES) return undefined;
    done = done.flatMap((before) => next.map((choice) => before + choice));
    at = choices === undefined || end === undefined ? at + 1 : end + 1;
  }
  return done;
}

function closingBrace(pattern: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < pattern.length; at += 1) {
    if (pattern[at] === '{') depth += 1;
    if (pattern[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}

/** What the inside of a pair of braces stands for; undefined where it is no alternative. */
function alternatives(inside: string): readonly string[] | 'too many' | undefined {
  const range = RANGE.exec(inside);
  if (range !== null) return numbers(Number(range[1]), Number(range[2]));
  const parts = splitAtCommas(inside);
  if (parts.length < 2) return undefined;
  const expanded = parts.map(expandBraces);
  return expanded.includes(undefined) ? 'too many' : expanded.flatMap((texts) => texts ?? []);
}

function numbers(from: number, to: number): readonly string[] | 'too many' {
  const count = Math.abs(to - from) + 1;
  if (count > MAX_ALTERNATIVES) return 'too many';
  return Array.from({ length: count }, (_, index) => String(from + (to < from ? -index : index)));
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (text[at] !== ',' || depth > 0) continue;
    parts.push(text.slice(start, at));
    start = at + 1;
  }
  return [...parts, text.slice(start)];
}
