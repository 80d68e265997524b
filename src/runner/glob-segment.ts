/** One character's worth of a pattern: that character, any, one of a class, or any number of any. */
type Token =
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'any' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly kind: 'star' };

/** The part of a glob between two slashes. */
export type Segment = readonly Token[];

const DOT = 0x2e;
const CLASS = /^\[([!^]?)(\]?(?:\[:[a-z]+:\]|[^\]])*)\]/u;
const NAMED = /\[:([a-z]+):\]/g;

/** Classes of characters as POSIX names them, in ASCII: what they stand for between brackets. */
const NAMED_CLASSES: Readonly<Partial<Record<string, string>>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: '0-9a-zA-Z',
  upper: 'A-Z',
  lower: 'a-z',
  xdigit: '0-9a-fA-F',
  punct: '!-/:-@[-`{-~',
  space: ' ',
  blank: ' ',
};

/** Reads the part of a glob between two slashes; a bracket that is not closed is a character. */
export function parseSegment(text: string): Segment {
  const tokens: Token[] = [];
  for (let rest = text; rest !== '';) {
    const found = CLASS.exec(rest);
    const [character = ''] = rest;
    if (found !== null && found[2] !== '') tokens.push(parseClass(found[1] !== '', found[2] ?? ''));
    else if (character !== '*') tokens.push(parseCharacter(character));
    else if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    rest = rest.slice(found !== null && found[2] !== '' ? found[0].length : character.length);
  }
  return tokens;
}

function parseCharacter(character: string): Token {
  return character === '?' ? { kind: 'any' } : { kind: 'character', code: codeOf(character) };
}

function parseClass(negated: boolean, content: string): Token {
  const codes = [...content.replace(NAMED, (_, name: string) => NAMED_CLASSES[name] ?? '')].map(codeOf);
  const ranges: [number, number][] = [];
  for (let index = 0; index < codes.length; index += 1) {
    const from = codes[index] ?? 0;
    const to = codes[index + 1] === codeOf('-') ? codes[index + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) index += 2;
  }
  return { kind: 'class', negated, ranges };
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Whether a name matches; calls `spend` with the number of steps it takes. */
export function matchesSegment(segment: Segment, name: string, spend: (steps: number) => void): boolean {
  const [first] = segment;
  const isExplicit = first?.kind === 'character' && first.code === DOT;
  if (!name.startsWith('.') || isExplicit) return matchesName(segment, name, spend);
  spend(1);
  return false;
}

/** Only the last star ever needs to be tried again: what came before it has matched as early as it can. */
function matchesName(segment: Segment, name: string, spend: (steps: number) => void): boolean {
  let [token, at, steps] = [0, 0, 1];
  let retry: { token: number; at: number } | undefined;
  for (; at < name.length || token < segment.length; steps += 1) {
    const code = name.codePointAt(at);
    const wanted = segment[token];
    if (wanted?.kind === 'star') {
      token += 1;
      retry = { token, at };
    } else if (wanted !== undefined && code !== undefined && matchesOne(wanted, code)) {
      token += 1;
      at += width(code);
    } else if (retry !== undefined && retry.at < name.length) {
      retry.at += width(name.codePointAt(retry.at) ?? 0);
      ({ token, at } = retry);
    } else {
      break;
    }
  }
  spend(steps);
  return at >= name.length && token >= segment.length;
}

function matchesOne(token: Token, code: number): boolean {
  if (token.kind === 'character') return token.code === code;
  if (token.kind !== 'class') return true;
  return token.ranges.some(([from, to]) => from <= code && code <= to) !== token.negated;
}

function width(code: number): number {
  return code > 0xffff ? 2 : 1;
}
