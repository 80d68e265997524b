import { stripVTControlCharacters } from 'node:util';

/** Lines of a table with a heading; columns are as wide as their widest cell, the last one is not padded. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))));
  return all.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - width(cell)),
      )
      .join('  ')
      .trimEnd(),
  );
}

function width(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
