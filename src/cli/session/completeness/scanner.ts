/** A text that is read from its beginning, piece by piece. */
export class Scanner {
  #at = 0;

  constructor(readonly text: string) {}

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  /** The character that comes next; empty at the end. */
  get next(): string {
    return this.text.charAt(this.#at);
  }

  /** Takes what a sticky pattern finds here. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  /** Goes on at a place further on. */
  skipTo(place: number): void {
    this.#at = place;
  }
}
