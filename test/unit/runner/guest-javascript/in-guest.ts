import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FOLDER = join(__dirname, '../../../../src/runner/guest/javascript');

/** What an expression gave: its value as JSON, or the error it threw. */
export interface Evaluated {
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly message: string; readonly [key: string]: unknown };
}

/**
 * Evaluates expressions in a Node process that has imported modules of the guest: `{ 'report.mjs': ['encodeReport'] }`.
 * The guest's modules are ES modules that change the language around them, which Jest's own process must not see.
 */
export function evaluateInGuest(
  imports: Readonly<Record<string, readonly string[]>>,
  expressions: readonly string[],
): readonly Evaluated[] {
  const header = Object.entries(imports).map(
    ([file, names]) => `import { ${names.join(', ')} } from '${pathToFileURL(join(FOLDER, file)).href}';`,
  );
  const script = `${header.join('\n')}
    import { readFileSync } from 'node:fs';
    const evaluate = (text) => {
      try { return { value: eval('(' + text + ')') }; }
      catch (error) { return { error: { ...error, name: error.name, message: error.message } }; }
    };
    const write = JSON.stringify;
    const results = JSON.parse(readFileSync(0, 'utf8')).map(evaluate);
    process.stdout.write(write(results));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    input: JSON.stringify(expressions),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output) as readonly Evaluated[];
}

/** Rows of a table with what each one's expression gave: `[...row, evaluated]`. */
export function evaluateRows<Row extends readonly [string, ...unknown[]]>(
  imports: Readonly<Record<string, readonly string[]>>,
  rows: readonly Row[],
  expression: (row: Row) => string,
): readonly (readonly [string, Row, Evaluated])[] {
  const results = evaluateInGuest(imports, rows.map(expression));
  return rows.map((row, index) => [row[0], row, results[index] ?? {}] as const);
}
