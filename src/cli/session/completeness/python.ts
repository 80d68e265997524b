// Long strings, short strings (which end with their line), comments, joined lines, brackets, line ends, the rest.
const TOKEN =
  /("""|''')(?:\\[^]|(?!\1)[^\\])*(\1)?|(["'])(?:\\[^]|(?!\3)[^\\\n])*\3?|#[^\n]*|\\\n?|[([{]|[)\]}]|\n|[^"'#\\()[\]{}\n]+/g;

const BLANK = /^\s*$/;
const OPENS_BLOCK = /:\s*#?$|^@/;
const GOES_ON = /^(?:\s|#|(?:else|elif|except|finally|case)\b)/;

/** Whether lines of Python are whole: a block ends with an empty line, or with a statement at the margin. */
export function isWholePython(text: string): boolean {
  const { lines, isOpen } = logicalLines(text);
  return !isOpen && !endsInBlock(lines);
}

/** Lines as the language counts them: strings are `""`, comments `#`. */
function logicalLines(text: string): { lines: string[]; isOpen: boolean } {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  let isCut = false;
  for (const [token, long, longEnd, short] of text.matchAll(TOKEN)) {
    isCut = (long !== undefined && longEnd === undefined) || token === '\\';
    if (long !== undefined || short !== undefined) line += '""';
    else if (token.startsWith('#')) line += '#';
    else if (token === '\n' && depth === 0) {
      lines.push(line);
      line = '';
    } else if (!token.startsWith('\\')) {
      depth = Math.max(0, depth + depthOf(token));
      line += token;
    }
  }
  // A backslash counts at the end of all only: before anything else it is a syntax error.
  return { lines: [...lines, line], isOpen: isCut || depth > 0 };
}

function depthOf(token: string): number {
  if ('([{'.includes(token)) return 1;
  return ')]}'.includes(token) ? -1 : 0;
}

function endsInBlock(lines: readonly string[]): boolean {
  let isInBlock = false;
  let hasBlock = false;
  for (const line of lines) {
    if (OPENS_BLOCK.test(line)) isInBlock = hasBlock = true;
    else if (BLANK.test(line)) isInBlock = false;
    else isInBlock = hasBlock && GOES_ON.test(line);
  }
  return isInBlock;
}
