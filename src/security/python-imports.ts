import type * as AstGrep from '@ast-grep/napi';
import type { SgNode } from '@ast-grep/napi';

/** Characters that are parsed: parsing blocks the worker, up to some microseconds for each where the text is hostile. */
const MAX_PARSED = 64 * 1024;

type Parse = (language: string, source: string) => { root(): SgNode };

let parser: Parse | undefined;
let isUnavailable = false;

/** The parser, loaded once; undefined on platforms it is not built for. */
function loadParser(): Parse | undefined {
  if (parser !== undefined || isUnavailable) return parser;
  try {
    /* eslint-disable @typescript-eslint/no-require-imports -- loading it costs 12 ms, which only some programs need */
    const { parse, registerDynamicLanguage } = require('@ast-grep/napi') as typeof AstGrep;
    const python = require('@ast-grep/lang-python') as Parameters<typeof registerDynamicLanguage>[0][string];
    /* eslint-enable @typescript-eslint/no-require-imports */
    registerDynamicLanguage({ python });
    parser = parse;
  } catch {
    isUnavailable = true;
  }
  return parser;
}

function topLevelName(node: SgNode): string {
  return node.text().split('.')[0] ?? '';
}

function namesOf(statement: SgNode): string[] {
  if (statement.kind() === 'import_from_statement') {
    const module = statement.field('module_name');
    return module === null || module.kind() === 'relative_import' ? [] : [topLevelName(module)];
  }
  return statement
    .children()
    .map((child) => (child.kind() === 'aliased_import' ? child.field('name') : child))
    .filter((child): child is SgNode => child?.kind() === 'dotted_name')
    .map(topLevelName);
}

/**
 * Top-level names of the modules a Python program imports, wherever in it the statement stands.
 *
 * Works on the syntax: text in strings and comments does not count, and a program that does not parse is read as far as
 * possible. Of a long program the first 64 Ki characters count. Empty where the parser is not available. What is missed
 * costs time only: a sandbox imports what it has not preloaded.
 */
export function importedModules(code: string): ReadonlySet<string> {
  const parse = loadParser();
  if (parse === undefined) return new Set();
  const rule = { any: [{ kind: 'import_statement' }, { kind: 'import_from_statement' }] };
  const statements = parse('python', code.slice(0, MAX_PARSED)).root().findAll({ rule });
  return new Set(statements.flatMap(namesOf));
}
