import { Heredocs } from './heredocs';
import { Scanner } from './scanner';
import { ShellWords } from './shell-words';

const COMMENT = /#[^\n]*/y;
const QUOTED = /'[^']*('|$)|\\$|\\[^]/y;
const OPENER = /\$\(\(|\$\(|\$\{|\(\(|["`(]/y;
const HEREDOC = /<<<|<<-?[ \t]*((?:'[^']*'|"[^"]*"|\\.|[^\s;&|()<>'"\\])*)/y;
const SEPARATOR = /\n|;;&|;&|;;|;|&&|\|\|?&?|&(?![>0-9])/y;
const SPACE = /[ \t\r]+/y;
const REST = /[^]/y;

/** Whether lines of shell are whole: no quote, no block, no bracket, no here-document is open, and nothing is to go on. */
export function isWholeShell(text: string): boolean {
  const reader = new Reader(text);
  while (!reader.isAtEnd) reader.step();
  return !reader.isOpen();
}

class Reader {
  readonly #words = new ShellWords();
  readonly #heredocs = new Heredocs();
  readonly #text: Scanner;
  #isCut = false;

  constructor(text: string) {
    this.#text = new Scanner(text);
  }

  get isAtEnd(): boolean {
    return this.#text.isAtEnd;
  }

  isOpen(): boolean {
    this.#words.endWord();
    return this.#isCut || this.#words.isOpen || this.#heredocs.isOpen;
  }

  step(): void {
    const top = this.#words.top;
    if (top === '"') return this.#inQuotes();
    const quoted = this.#text.take(QUOTED);
    if (quoted) return this.#quoted(quoted);
    if (top === '${') return this.#inBraces();
    if (top !== '((' && this.#words.isBetween && this.#text.take(COMMENT)) return;
    if (this.#heredoc() || this.#opener() || this.#closer()) return;
    const separator = this.#text.take(SEPARATOR)?.[0];
    if (separator !== undefined) return this.#separate(separator);
    if (this.#text.take(SPACE)) return this.#words.endWord();
    this.#words.add(this.#text.take(REST)?.[0] ?? '');
  }

  /** A backslash at the end, or an apostrophe without its second, waits for more. */
  #quoted([token, end]: RegExpExecArray): void {
    this.#isCut = token === '\\' || end === '';
    if (token !== '\\\n') this.#words.add('""');
  }

  #inQuotes(): void {
    if (this.#text.take(/"/y)) return this.#words.close('"');
    if (this.#text.take(/\\$|\\[^]/y) || this.#expansion()) return;
    this.#text.take(REST);
  }

  #inBraces(): void {
    if (this.#text.take(/\}/y)) return this.#words.close('${');
    if (this.#text.take(/"/y)) return this.#words.open('"');
    if (!this.#expansion()) this.#text.take(REST);
  }

  #expansion(): boolean {
    const { next } = this.#text;
    return (next === '$' || next === '`') && this.#opener();
  }

  #heredoc(): boolean {
    if (this.#words.isArithmetic) return false;
    const found = this.#text.take(HEREDOC);
    if (found === null) return false;
    this.#words.endWord();
    if (found[1]) this.#heredocs.begin(found[1], found[0].startsWith('<<-'));
    return true;
  }

  #opener(): boolean {
    const opener = this.#text.take(OPENER)?.[0];
    if (opener === undefined) return false;
    if (opener === '`' && this.#words.has('`')) this.#words.close('`');
    else this.#words.open(opener === '$((' ? '((' : opener);
    return true;
  }

  #closer(): boolean {
    if (this.#words.top === '((' && this.#text.take(/\)\)/y)) this.#words.close('((');
    else if (this.#text.take(/\)/y)) this.#words.close('(', '$(');
    else return false;
    return true;
  }

  #separate(separator: string): void {
    this.#words.endCommand(separator);
    if (separator === '\n') this.#text.skipTo(this.#heredocs.skip(this.#text.text, this.#text.at));
  }
}
