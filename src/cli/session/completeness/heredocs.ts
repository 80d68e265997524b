/** Here-documents of a shell program on their way. */
export class Heredocs {
  readonly #waiting: { readonly end: string; readonly stripsTabs: boolean }[] = [];

  get isOpen(): boolean {
    return this.#waiting.length > 0;
  }

  /** Notes one that begins with the next line. */
  begin(word: string, stripsTabs: boolean): void {
    this.#waiting.push({ end: word.replace(/["'\\]/g, ''), stripsTabs });
  }

  /** Where the program goes on behind those that begin at a line. */
  skip(text: string, start: number): number {
    let at = start;
    for (let first = this.#waiting[0]; first !== undefined && at < text.length; first = this.#waiting[0]) {
      const feed = text.indexOf('\n', at);
      const end = feed < 0 ? text.length : feed;
      const line = text.slice(at, end);
      if ((first.stripsTabs ? line.replace(/^\t+/, '') : line) === first.end) this.#waiting.shift();
      at = Math.min(text.length, end + 1);
    }
    return at;
  }
}
