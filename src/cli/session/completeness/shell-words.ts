const OPENS: Readonly<Record<string, string>> = {
  if: 'if',
  for: 'loop',
  while: 'loop',
  until: 'loop',
  select: 'loop',
  case: 'case',
  '{': '{',
};
const CLOSES: Readonly<Record<string, string>> = { fi: 'if', done: 'loop', esac: 'case', '}': '{' };
/** After these words a command begins, as after a semicolon. */
const BEFORE_COMMAND = new Set(['if', 'then', 'elif', 'else', 'while', 'until', 'do', '{', '!', 'time']);

/** What a word may hold besides letters. */
const QUOTES = new Set(['"', '${']);

/** What is open at a place of a shell program, as its words and brackets tell; words count where a command begins. */
export class ShellWords {
  readonly #open: string[] = [];
  #word = '';
  #isCommand = true;
  #isFunctionName = false;
  #goesOn = false;

  /** The innermost. */
  get top(): string | undefined {
    return this.#open.at(-1);
  }

  get isOpen(): boolean {
    return this.#goesOn || this.#open.length > 0;
  }

  get isArithmetic(): boolean {
    return this.#open.includes('((');
  }

  /** Between two words. */
  get isBetween(): boolean {
    return this.#word === '';
  }

  has(opener: string): boolean {
    return this.#open.includes(opener);
  }

  /** Within a word, or a command of its own: what begins in `$(`, backquotes or brackets. */
  open(opener: string): void {
    if (QUOTES.has(opener)) this.add('""');
    else this.endWord();
    this.#open.push(opener);
    this.#goesOn = false;
    this.#isCommand ||= !QUOTES.has(opener);
  }

  /** Ends what is innermost, if it is one of these: a bracket behind the pattern of a `case` ends nothing. */
  close(...openers: readonly string[]): void {
    const top = this.top ?? '';
    if (!QUOTES.has(top)) this.endWord();
    const isOurs = openers.includes(top);
    if (isOurs) this.#open.pop();
    if (isOurs && top !== '(') this.add('""');
    else this.#isCommand = true;
  }

  add(text: string): void {
    this.#word += text;
  }

  endWord(): void {
    const word = this.#word;
    this.#word = '';
    if (word === '') return;
    this.#goesOn = false;
    const isReserved = this.#isCommand && !this.#isFunctionName;
    if (isReserved) this.#reserved(word);
    const isBeforeBody = this.#isFunctionName || (word === 'in' && this.top === 'case');
    this.#isCommand = isBeforeBody || (isReserved && (BEFORE_COMMAND.has(word) || word === 'function'));
    this.#isFunctionName = isReserved && word === 'function';
  }

  endCommand(separator: string): void {
    const isAtLineEnd = separator === '\n';
    this.endWord();
    this.#isCommand = true;
    if (!isAtLineEnd) this.#goesOn = separator.startsWith('|') || separator === '&&';
  }

  #reserved(word: string): void {
    const opener = OPENS[word];
    if (opener !== undefined) this.#open.push(opener);
    const closed = CLOSES[word];
    if (closed !== undefined && this.top === closed) this.#open.pop();
  }
}
