import { isIP } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';

/** What a parser may know besides the value: whose home `~` means, and what relative paths start from. */
export interface ParseContext {
  readonly home: string;
  readonly baseDir: string;
}

/** Reads one kind of value. `rule` completes "must be …" in messages and in the documentation. */
export interface Parser<T> {
  readonly rule: string;
  /** The value, or undefined where the rule does not hold. */
  parse(raw: unknown, context: ParseContext): T | undefined;
}

interface Range {
  readonly min: number;
  readonly max: number;
  /** Why the range is what it is, where a reader would wonder. */
  readonly because?: string;
}

/** A number between two others, both included. Decimal notation only; `0x10` and `1e3` are refused. */
export function decimal(range: Range): Parser<number> {
  return numeric('a number', /^-?\d+(\.\d+)?$/, range);
}

/** A whole number between two others, both included. */
export function whole(range: Range): Parser<number> {
  return numeric('a whole number', /^-?\d+$/, range);
}

function numeric(noun: string, notation: RegExp, { min, max, because }: Range): Parser<number> {
  return {
    rule: `${noun} from ${min} to ${max}${because === undefined ? '' : ` (${because})`}`,
    parse(raw) {
      const text = typeof raw === 'number' ? String(raw) : raw;
      if (typeof text !== 'string' || !notation.test(text)) return undefined;
      const value = Number(text);
      return value >= min && value <= max ? value : undefined;
    },
  };
}

const SWITCH: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
};

/** On or off. */
export const flag: Parser<boolean> = {
  rule: 'true or false (also yes, no, on, off, 1, 0)',
  parse: (raw) => SWITCH[String(raw).toLowerCase()],
};

/** Text that matches a pattern. */
export function text(rule: string, pattern: RegExp): Parser<string> {
  return { rule, parse: (raw) => (typeof raw === 'string' && pattern.test(raw) ? raw : undefined) };
}

/** One of a few words. */
export function choice<const Word extends string>(words: readonly Word[]): Parser<Word> {
  return { rule: `one of ${words.join(', ')}`, parse: (raw) => words.find((word) => word === raw) };
}

/** Several of a few words: a list in a file, separated by commas in the environment; `none` is the empty list. */
export function choices<const Word extends string>(words: readonly Word[]): Parser<readonly Word[]> {
  const one = choice(words);
  return {
    rule: `none, or a list of ${words.join(', ')}`,
    parse(raw, context) {
      const items: unknown = typeof raw === 'string' ? splitList(raw) : raw;
      if (!Array.isArray(items)) return undefined;
      const parsed = items.map((item) => one.parse(item, context));
      return parsed.every((item) => item !== undefined) ? [...new Set(parsed)] : undefined;
    },
  };
}

function splitList(raw: string): string[] {
  return raw === 'none' ? [] : raw.split(',').map((item) => item.trim());
}

/** A path made absolute; `~/` is the home folder, which no shell expands in a file. */
export const path: Parser<string> = {
  rule: 'a path',
  parse(raw, { home, baseDir }) {
    if (typeof raw !== 'string' || raw === '' || raw.includes('\0')) return undefined;
    if (raw === '~' || raw.startsWith('~/')) return join(home, raw.slice(1));
    return isAbsolute(raw) ? raw : resolve(baseDir, raw);
  },
};

/** `host:port`, as Temporal's clients take it. */
export const address: Parser<string> = {
  rule: 'host:port without a scheme, such as localhost:7233',
  parse(raw) {
    if (typeof raw !== 'string') return undefined;
    const port = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(raw)?.[1];
    return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535 ? raw : undefined;
  },
};

/** An address of this machine to listen at, as `IP:port`; `localhost` is 127.0.0.1. */
export const listenAddress: Parser<string> = {
  rule: 'IP:port to listen at, such as 127.0.0.1:9464, or 0.0.0.0:9464 for every network of the machine',
  parse(raw, context) {
    const given = address.parse(raw, context)?.replace(/^localhost:/, '127.0.0.1:');
    const ip = given?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    return ip !== undefined && isIP(ip) !== 0 ? given : undefined;
  },
};

/** The base of a web address, without its final slash. */
export const webAddress: Parser<string> = {
  rule: 'a URL that starts with http:// or https://',
  parse(raw) {
    if (typeof raw !== 'string' || !/^https?:\/\//.test(raw) || !URL.canParse(raw)) return undefined;
    return raw.replace(/\/+$/, '');
  },
};

/** A parser whose value is kept in another unit than it is written in. */
export function scaled<A, B>(parser: Parser<A>, convert: (value: A) => B): Parser<B> {
  return {
    rule: parser.rule,
    parse(raw, context) {
      const value = parser.parse(raw, context);
      return value === undefined ? undefined : convert(value);
    },
  };
}
