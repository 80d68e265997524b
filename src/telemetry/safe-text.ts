// Control characters (C0, DEL, C1), line separators and the marks that reorder text: what a terminal or a log viewer obeys.
const UNSAFE = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return SHORT[character] ?? `\\u${code.padStart(4, '0')}`;
}

/** Text that neither terminal nor log obeys: control and reordering characters as visible escapes. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** `escapeControls` of the beginning of a text, at most `maxLength` characters before escaping. */
export function safeText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return escapeControls(text);
  return `${escapeControls(text.slice(0, maxLength))}… (${text.length} characters)`;
}
