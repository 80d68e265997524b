/** Changes of a text that leave every line where it is. */

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

/** An edit that adds text. */
export function insertion(position, text) {
  return { start: position, end: position, text };
}

/** An edit that puts one line of text in the place of a node and keeps the node's line breaks behind it. */
export function replacement(source, { start, end }, text = '') {
  const breaks = source.slice(start, end).match(/\r\n|[\n\r\u2028\u2029]/g) ?? [];
  return { start, end, text: text + breaks.join('') };
}

/** A name that does not occur in the text. */
export function unusedName(text, name) {
  let unused = name;
  while (text.includes(unused)) unused += '_';
  return unused;
}
