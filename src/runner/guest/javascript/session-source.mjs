/**
 * From the text of a session's call to the two texts that are compiled: the functions of its top level, which are declared first
 * as global functions, and all the rest as the body of a function. Both keep every line where it is.
 */
import { applyEdits, blanked, columnFinder, replacement } from './edits.mjs';
import { hashbangEdits, resultEdits } from './rewrite.mjs';
import { constantEdits } from './session-constants.mjs';
import { declarationEdits, functionsOf } from './session-declarations.mjs';
import { nodesOf } from './syntax-tree.mjs';

const STRICT = '"use strict";';

/**
 * `{ functions, body, originalColumn }`: `functions` (undefined where there are none) and `body` are `{ source, shift }`,
 * where `shift` columns are in front of the first line. The body is a function of the probe and the shadows that returns the
 * program.
 */
export function callSource(text, { tree, isAsync, isStrict, probe, shadows, constants }) {
  const functions = functionsOf(tree);
  const inner = [...constantEdits(text, tree, constants, probe), ...metaEdits(text, tree, probe)];
  const isOutside = (edit) => !functions.some(({ start, end }) => edit.start >= start && edit.end <= end);
  const { start, edits: results } = resultEdits(tree, probe);
  const outside = [...hashbangEdits(text), ...inner.filter(isOutside)];
  // Edits of one position keep their order: what an expression needs is in front of what its statement needs.
  const edits = [...outside, ...declarationEdits(text, tree, probe), ...results];
  const strict = isStrict ? STRICT : '';
  const prefix =
    `(function(${[probe, ...shadows].join(',')}){return ${isAsync ? 'async ' : ''}function(){` +
    `${strict}${probe}.begun=true;${start}`;
  return {
    functions: functionsSource(text, functions, inner, strict),
    body: { source: `${prefix}${applyEdits(text, edits)}\n}})`, shift: prefix.length },
    originalColumn: columnFinder(text, edits, 0),
  };
}

function functionsSource(text, functions, inner, strict) {
  if (functions.length === 0) return undefined;
  const gaps = functions.map(({ start }, index) => [functions[index - 1]?.end ?? 0, start]);
  gaps.push([functions.at(-1).end, text.length]);
  const blanks = gaps.map(([start, end]) => ({ start, end, text: blanked(text.slice(start, end)) }));
  const isInside = (edit) => functions.some(({ start, end }) => edit.start >= start && edit.end <= end);
  return { source: strict + applyEdits(text, [...inner.filter(isInside), ...blanks]), shift: strict.length };
}

/** `import.meta` is an object of ours. */
function metaEdits(text, tree, probe) {
  if (!text.includes('meta')) return [];
  const found = [...nodesOf(tree)].filter(({ type, meta }) => type === 'MetaProperty' && meta.name === 'import');
  return found.map((node) => replacement(text, node, `${probe}.meta`));
}
