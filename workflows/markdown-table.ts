const MAX_CELL_LENGTH = 200;

// What a program or a caller says becomes one cell: no markup, no line ends.
function cell(text: string): string {
  return text
    .slice(0, MAX_CELL_LENGTH)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
}

/** A table of two columns, as the Temporal UI shows it. */
export function markdownTable(rows: readonly (readonly [name: string, value: string])[]): string {
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${cell(name)} | ${cell(value)} |`)].join('\n');
}
