import { StringDecoder } from 'node:string_decoder';

// What a terminal obeys: control characters but tab, line feed and carriage return, and marks that reorder text.
const OBEYED = /[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

function show(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return `\\u${code.padStart(4, '0')}`;
}

/** Text that a terminal prints and does not obey; line breaks and tabs stay. */
export function neutralise(text: string): string {
  return text.replace(OBEYED, show);
}

/** `neutralise` for bytes as they come: characters that are cut between two chunks are put together. */
export class OutputFilter {
  readonly #decoder = new StringDecoder('utf8');

  pass(chunk: Buffer | string): string {
    return neutralise(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
  }
}
