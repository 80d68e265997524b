/** Stacks as the user should see them: their own frames, no frame of ours, none of Node's own below theirs. */

/** The name that a program has in stacks and messages; the later calls of a session are `<code 2>`, `<code 3>`, … */
export const CODE = '<code>';

const OURS = new URL('.', import.meta.url).href;
const OUR_FOLDER = OURS.slice('file://'.length);
const FRAME = /^\s+at /;
const INTERNAL = /\bnode:/;
const DEEP_INTERNAL = /\bnode:internal\//;
const SHOWN_LINE = 240;
// Code of `eval` and `new Function`: where it came from, and its own place in a text of its own.
const EVALUATED = /\(eval at .*, <anonymous>:\d+:\d+\)$/;
const OWN_PLACES = /(\beval at [^()]*\()?(<code(?: \d+)?>):(\d+):(\d+)/g;
// Where Node maps positions back to TypeScript it takes the program's name for a path beside the program.
const MAPPED = /at <anonymous> \(\/sandbox\/(<code(?: \d+)?>:\d+:\d+)\)|\/sandbox\/(?=<code(?: \d+)?>:)/g;

/**
 * A stack without the frames of the runtime and of Node's inside, with the program's own places as
 * `<code>:line:column`, where `originalColumn(line, column, name)` says what the column was, or both as
 * `{ line, column }`. `shift` columns more are in front of the first line where V8 says from where `eval` was called: it
 * leaves the offset of a script out there.
 */
export function cleanStack(text, originalColumn = (_line, column) => column, shift = 0) {
  const place = (_, origin = '', name, line, column) => {
    const moved = origin !== '' && line === '1' ? shift : 0;
    const found = originalColumn(Number(line), Number(column) - moved, name);
    const original = typeof found === 'number' ? { line, column: found } : found;
    return `${origin}${name}:${original.line}:${original.column}`;
  };
  const lines = [];
  for (const line of text.split('\n')) {
    if (!FRAME.test(line)) {
      dropTail(lines, isInternal);
      lines.push(line);
    } else if (!isHidden(line)) lines.push(line);
    else if (line.endsWith(' {')) openBraces(lines);
  }
  dropTail(lines, isInternal);
  return lines
    .join('\n')
    .replace(MAPPED, (_, mapped) => (mapped === undefined ? '' : `at ${mapped}`))
    .replace(OWN_PLACES, place)
    .replaceAll('file:///sandbox/', '/sandbox/');
}

function isHidden(line) {
  return line.includes(OURS) || line.includes(OUR_FOLDER) || DEEP_INTERNAL.test(line);
}

function isInternal(line) {
  return FRAME.test(line) && INTERNAL.test(line);
}

// Properties of an error are shown in braces that open behind its last frame.
function openBraces(lines) {
  lines[lines.length - 1] += ' {';
}

function dropTail(lines, isDropped) {
  let opens = false;
  while (lines.length > 1 && isDropped(lines.at(-1))) opens = lines.pop().endsWith(' {') || opens;
  if (opens) openBraces(lines);
}

/** The first place in the user's own program that a stack names: `{ line, column }`, both from 1, or undefined. */
export function ownPlace(stack, name = CODE) {
  const pattern = new RegExp(`${name}:(\\d+):(\\d+)`);
  const ofFrames = stack.split('\n').filter((line) => !EVALUATED.test(line));
  const found = pattern.exec(ofFrames.join('\n')) ?? pattern.exec(stack);
  return found === null ? undefined : { line: Number(found[1]), column: Number(found[2]) };
}

/** A place, its source line and a caret, as Node prints them. */
export function showPlace(name, lines, { line, column }) {
  const text = lines[line - 1] ?? '';
  // A window: the one line of a minified program may be a megabyte long.
  const from = Math.max(0, Math.min(column - 1, text.length) - SHOWN_LINE / 2);
  const indent = text.slice(from, column - 1).replace(/[^\t]/g, ' ');
  return `${name}:${line}\n${text.slice(from, from + SHOWN_LINE)}\n${indent}^\n`;
}
