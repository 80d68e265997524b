import { StringDecoder } from 'node:string_decoder';

// What a terminal obeys: control characters but tab and line feed, and marks that reorder text.
const OBEYED = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

const OBEYED_OR_COLOUR = new RegExp(`\u001b\\[[0-9;]*m|${OBEYED.source}`, 'gu');
const LINE_END = /\r\n?/g;

function show(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return `\\u${code.padStart(4, '0')}`;
}

/** Text that a terminal prints and does not obey; line feeds and tabs stay, CR LF is a line feed. */
export function neutralise(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(OBEYED, show);
}

/** `neutralise` for our own words: colours stay. JSON stays the same value. */
export function neutraliseButColours(text: string): string {
  return text.replace(OBEYED_OR_COLOUR, (found) => (found.length > 1 ? found : show(found)));
}

/**
 * `neutralise` for a program's bytes as they come: characters that are cut between two chunks are put together. A
 * carriage return begins a new line: what was printed stays to be seen, and progress bars stay readable.
 */
export class OutputFilter {
  readonly #decoder = new StringDecoder('utf8');
  #afterReturn = false;

  pass(chunk: Buffer | string): string {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    if (text === '') return '';
    const rest = this.#afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.#afterReturn = text.endsWith('\r');
    return neutralise(rest.replace(LINE_END, '\n'));
  }
}
