import type { Language } from '../../../contract';
import { isWholeJavaScript } from './javascript';
import { isWholePython } from './python';
import { isWholeShell } from './shell';

const OF_LANGUAGE: Readonly<Record<Language, (text: string) => boolean>> = {
  python: isWholePython,
  javascript: isWholeJavaScript,
  typescript: isWholeJavaScript,
  shell: isWholeShell,
};

/**
 * Whether what was typed so far is a program, or waits for more lines.
 *
 * A guess by brackets, quotes and block words, which never parses: what it takes for whole and is not is a syntax error of the
 * language, and what it takes for unfinished ends at Ctrl-C.
 */
export function isWhole(language: Language, text: string): boolean {
  return OF_LANGUAGE[language](text);
}
