/** A program that has import or export, as the text of a real ES module. */
import { insert, keepInputs, MODULE_NAMES, resultInsertions, surveyProgram } from './rewrite.mjs';
import { CODE } from './stack-text.mjs';

/**
 * The module's text: the user's lines stay their own. What CommonJS has besides (`require`, `module`, …) is there too
 * where the program names it and does not declare it.
 */
export function moduleSource(text, { tree, probe, shadows, kept }) {
  const survey = surveyProgram(tree);
  const { start, insertions } = resultInsertions(tree, probe);
  const prefix = [
    `${probe}.read=()=>${resultName(tree)};`,
    surroundings(text, [...MODULE_NAMES, ...shadows], survey, probe),
    text.includes('import.meta.main') ? 'import.meta.main=true;' : '',
    keepInputs(survey, kept, probe),
    start,
  ];
  const visible = text.startsWith('#!') ? `//${text.slice(2)}` : text;
  return `${prefix.join('')}${insert(visible, insertions)}\n//# sourceURL=${CODE}\n`;
}

/** The program's own name of what it exports as `result`. */
function resultName(tree) {
  for (const { type, source, specifiers } of tree.body) {
    if (type !== 'ExportNamedDeclaration' || source !== null) continue;
    const found = specifiers.find(({ exported }) => exported.name === 'result');
    if (found !== undefined) return found.local.name;
  }
  return 'result';
}

function surroundings(text, names, { declared, hoisted }, probe) {
  const needed = names.filter((name) => text.includes(name) && !declared.has(name) && !hoisted.has(name));
  return needed.length === 0 ? '' : `const {${needed.join(',')}}=${probe}.names;`;
}
