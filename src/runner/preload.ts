import type { Language } from '../contract';
import { importedModules } from '../security/python-imports';

/** Modules worth importing before a program arrives, with what each brings along. Sorted as sandbox specs are. */
const PRELOADS: Readonly<Record<string, readonly string[]>> = {
  numpy: ['numpy'],
  pandas: ['numpy', 'pandas'],
};

/** Python modules a sandbox for this program imports in advance; found on the program's syntax, not by its text. */
export function preloadFor(language: Language, code: string): readonly string[] {
  if (language !== 'python') return [];
  const candidates = Object.keys(PRELOADS).filter((name) => code.includes(name));
  // Most programs name none of them: the parser is loaded for those that do.
  if (candidates.length === 0) return [];
  const imported = importedModules(code);
  const wanted = candidates.filter((name) => imported.has(name)).flatMap((name) => PRELOADS[name] ?? []);
  return [...new Set(wanted)].sort();
}
