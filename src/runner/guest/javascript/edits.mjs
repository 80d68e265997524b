// Edits of a text by position; they never add or remove a line.

/** A text with edits to come; positions are those of the original. */
export function edited(original) {
  const edits = [];
  const add = (start, end, text) => edits.push({ start, end, text, order: edits.length });
  return {
    insert: (at, text) => add(at, at, text),
    replace: (start, end, text) => add(start, end, text),
    /** Takes a part away; its line ends stay. */
    blank: (start, end) => add(start, end, original.slice(start, end).replace(/[^\r\n\u2028\u2029]+/g, ' ')),
    toString() {
      edits.sort((left, right) => left.start - right.start || left.order - right.order);
      let result = '';
      let done = 0;
      for (const { start, end, text } of edits) {
        result += original.slice(done, Math.max(done, start)) + text;
        done = Math.max(done, end);
      }
      return result + original.slice(done);
    },
  };
}
