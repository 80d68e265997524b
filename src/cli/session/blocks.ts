import type { Language } from '../../contract';
import { isWhole } from './completeness';
import { parseDotCommand, type DotCommand } from './dot-command';
import type { PromptEvent } from './prompt-input';

/** What a person wants next. */
export type Wish =
  | { readonly kind: 'program'; readonly code: string }
  | { readonly kind: 'dot'; readonly command: DotCommand }
  /** Ctrl-C where there is nothing to drop. */
  | { readonly kind: 'hint' }
  | { readonly kind: 'leave' };

/** Where lines come from; `isFirst` says which prompt is shown. */
export type NextEvent = (isFirst: boolean) => Promise<PromptEvent>;

/** Reads lines until they are a program, or a command of the prompt. Ctrl-C drops the lines so far. */
export async function readWish(language: Language, next: NextEvent, onDrop: () => void): Promise<Wish> {
  let lines: string[] = [];
  for (;;) {
    const event = await next(lines.length === 0);
    if (event.kind === 'end') return { kind: 'leave' };
    if (event.kind === 'interrupt') {
      if (lines.length === 0 && !event.hadText) return { kind: 'hint' };
      lines = [];
      onDrop();
      continue;
    }
    const wish = wishOf(language, lines, event.lines);
    if (wish !== undefined) return wish;
    lines = [...lines, ...event.lines];
    if (lines.every((line) => line.trim() === '')) lines = [];
  }
}

function wishOf(language: Language, before: readonly string[], fresh: readonly string[]): Wish | undefined {
  const [only = ''] = fresh;
  const command = before.length === 0 && fresh.length === 1 ? parseDotCommand(only) : undefined;
  if (command !== undefined) return { kind: 'dot', command };
  const code = [...before, ...fresh].join('\n');
  return code.trim() !== '' && isWhole(language, code) ? { kind: 'program', code } : undefined;
}
