import { Scanner } from './scanner';

const SPACE = /\s+|\/\/[^\n]*/y;
const COMMENT = /\/\*[^]*?(\*\/|$)/y;
const STRING = /(["'])(?:\\[^]|(?!\1)[^\\\n])*(\1|\\$)?/y;
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const CHARACTER = /[^]/y;
const WORD = /[\w$\u0080-\uffff]+/y;
/** A template up to its end, or up to the expression in it. */
const TEMPLATE = /(?:\\[^]|\$(?!\{)|[^\\`$])*(`|\$\{|$)/y;

/** After these a slash begins a regular expression. */
const BEFORE_REGEX = /^(?:|[^\w$)\]}"'`/]|return|typeof|case|in|of|delete|void|throw|new|do|else|await|yield)$/;
/** What cannot be the end of a statement; `i++`, `i--`, `Array<number>` and `value!` can. */
const WANTS_MORE = /(?:[=*%&|^<,?:.]|=>|(?:^|[^+])\+|(?:^|[^-])-)$/;
const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Whether lines of JavaScript or TypeScript are whole: no bracket, no template, no comment is open, and no operator waits for its other side. */
export function isWholeJavaScript(text: string): boolean {
  const reader = new Reader(text);
  while (!reader.isAtEnd) reader.step();
  return !reader.isOpen;
}

class Reader {
  readonly #open: string[] = [];
  readonly #text: Scanner;
  #before = '';
  /** Punctuation since the last word or value. */
  #tail = '';
  #isCut = false;

  constructor(text: string) {
    this.#text = new Scanner(text);
  }

  get isAtEnd(): boolean {
    return this.#text.isAtEnd;
  }

  get isOpen(): boolean {
    return this.#isCut || this.#open.length > 0 || WANTS_MORE.test(this.#tail);
  }

  step(): void {
    if (this.#open.at(-1) === '`') return this.#template();
    if (this.#text.take(SPACE)) return;
    const comment = this.#text.take(COMMENT);
    if (comment) return void (this.#isCut = comment[1] === '');
    const string = this.#text.take(STRING);
    if (string) return this.#value(string[2] === '\\');
    if (BEFORE_REGEX.test(this.#before) && this.#text.take(REGEX)) return this.#value();
    const word = this.#text.take(WORD);
    if (word) return this.#word(word[0]);
    this.#punctuation(this.#text.take(CHARACTER)?.[0] ?? '');
  }

  #word(word: string): void {
    this.#before = word;
    this.#tail = '';
  }

  #value(isCut = false): void {
    this.#isCut = isCut;
    this.#word('"');
  }

  #template(): void {
    const end = this.#text.take(TEMPLATE)?.[1];
    if (end === '`') {
      this.#open.pop();
      this.#word('`');
    } else if (end === '${') {
      this.#open.push('${');
      this.#before = '';
    } else this.#text.skipTo(this.#text.text.length);
  }

  #punctuation(character: string): void {
    this.#before = character;
    this.#tail = `${this.#tail.slice(-1)}${character}`;
    if ('([{`'.includes(character)) this.#open.push(character);
    const opener = CLOSES[character];
    const top = this.#open.at(-1);
    // One bracket too many is the language's to tell.
    if (opener !== undefined && (top === opener || (top === '${' && character === '}'))) this.#open.pop();
  }
}
