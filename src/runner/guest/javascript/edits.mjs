/** Changes of a text that leave every line where it is. */

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

/** The text with edits applied: `{ start, end, text }` each, apart from each other; those of one position keep their order. */
export function applyEdits(text, edits) {
  const sorted = [...edits].sort((a, b) => a.start - b.start);
  let written = '';
  let from = 0;
  for (const edit of sorted) {
    written += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return written + text.slice(from);
}

/**
 * Finds columns of a text as they were before edits: `(line, column) => column`, all from 1. `shift` columns are in
 * front of the first line. Edits over several lines do not count.
 */
export function columnFinder(text, edits, shift) {
  const byLine = new Map([[1, [{ column: 0, removed: 0, added: shift }]]]);
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    const before = text.slice(0, edit.start).split(LINE_BREAK);
    if (LINE_BREAK.test(text.slice(edit.start, edit.end))) continue;
    const change = { column: before.at(-1).length, removed: edit.end - edit.start, added: edit.text.length };
    byLine.set(before.length, [...(byLine.get(before.length) ?? []), change]);
  }
  return (line, column) => originalColumn(byLine.get(line) ?? [], column - 1) + 1;
}

function originalColumn(changes, column) {
  let moved = 0;
  for (const { column: start, removed, added } of changes) {
    if (column < start + moved) break;
    if (column < start + moved + added) return start;
    moved += added - removed;
  }
  return column - moved;
}

/** An edit that adds text. */
export function insertion(position, text) {
  return { start: position, end: position, text };
}

/** An edit that puts one line of text in the place of a node and keeps the node's line breaks behind it. */
export function replacement(source, { start, end }, text = '') {
  const breaks = source.slice(start, end).match(/\r\n|[\n\r\u2028\u2029]/g) ?? [];
  return { start, end, text: text + breaks.join('') };
}

/** A text of blanks that is as long, with the same line breaks. */
export function blanked(text) {
  return text.replace(/[^\n\r\u2028\u2029]/g, ' ');
}

/** A name that does not occur in the text. */
export function unusedName(text, name) {
  let unused = name;
  while (text.includes(unused)) unused += '_';
  return unused;
}
