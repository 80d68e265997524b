'use strict';

// Writes docs/requirements.md from the titles of the tests: `node infra/tooling/requirements.js`.
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const ROOT = path.resolve(__dirname, '..', '..');
const TARGET = path.join(ROOT, 'docs', 'requirements.md');
const NAMED = /^(R\d\d(?:, R\d\d)*): (.+)$/s;

/** What must hold, by its number. Sessions (R29-R32), isolates, host functions, static analysis and packages have theirs elsewhere. */
const REQUIREMENTS = /** @type {Readonly<Record<string, string>>} */ ({
  R01: 'One function creates every sandbox; nothing that a caller writes chooses image, mounts, user, capabilities, network or security options.',
  R02: 'The root is read-only; each writable place runs nothing and is bounded in bytes and inodes.',
  R03: 'A plain numeric user, no capability, no way to gain one, a system call filter, in every language.',
  R04: 'A system call profile of our own: rare and dangerous calls are refused, what libraries need is not.',
  R05: 'Memory, processors, processes, descriptors, core dumps and file sizes are bounded, and the bounds take hold.',
  R06: 'No network but the loopback of the sandbox itself.',
  R07: 'Output does not become a log file of the engine.',
  R08: 'A host that does not keep a promise, and a sandbox that is not as it has to be, are refused by name before a program starts.',
  R09: 'The image holds no set-id file, no compiler, no package manager and no network tool, and its content is listed; its Debian base is named by digest and not pinned to it, as SECURITY.md explains.',
  R10: 'The worker measures the timeout; everything in the sandbox is dead then, whatever a program does against it.',
  R11: 'A run ends when its main process ends, not when a pipe does.',
  R12: 'After any end nothing of a run is left: no container, process, listener, core file or volume.',
  R13: 'Executions beyond the capacity wait and do not run; each gives back exactly what it took.',
  R14: 'Why a run ended is a fact of the kernel or of our clock, never a number or a text of the program.',
  R15: 'Only containers of our own that nobody owns any more are removed.',
  R16: 'The guest is out of the reach of programs and collects the processes that they leave behind.',
  R17: 'stdout and stderr are never parsed.',
  R18: 'Everything that a guest sends is hostile: typed, bounded before it is allocated, one result.',
  R19: 'A flood costs the worker neither memory nor its event loop, and what comes back is cut at a character.',
  R20: 'Programs and inputs are data: hostile values arrive unchanged in every language.',
  R21: 'Input names that interpreters or loaders obey are refused or harmless.',
  R22: 'Results are bounded in size and depth, and always valid JSON.',
  R23: 'Errors have type, message and line of the program, and nothing of the host or of the worker.',
  R24: 'Files go through the guest as frames: no archive call, no mount.',
  R25: 'The workspace resolves names below its root, through no link, to regular files only.',
  R26: 'Only regular files with mode 0644 are stored, as a whole.',
  R27: 'Number and size of files are bounded, also of sparse ones and of those that change meanwhile.',
  R41: 'Secrets of the worker reach no container, label, argument, log or history.',
  R42: 'What a sandbox sends cannot change prototypes in the worker.',
  R43: 'Heartbeats and results are small; what a program did is not tried again.',
  R44: 'Logs and terminals obey nothing that a program wrote.',
  R45: 'After each attack the worker serves the next run.',
  R46: 'Engines, runtimes, kernels and Node.js below a version that closed a known hole are named.',
});

/** @typedef {{ids: string[], title: string, file: string}} NamedTest */

/**
 * Texts of the tests that begin with the numbers of requirements, in the order of files and lines.
 *
 * @param {string} [folder]
 * @returns {NamedTest[]}
 */
function findNamedTests(folder = path.join(ROOT, 'test')) {
  const files = /** @type {string[]} */ (fs.readdirSync(folder, { recursive: true }));
  return files
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .flatMap((file) => textsOf(path.join(folder, file)).flatMap((text) => named(text, `test/${file}`)));
}

/**
 * @param {string} text
 * @param {string} file
 * @returns {NamedTest[]}
 */
function named(text, file) {
  const [, ids, title] = NAMED.exec(text) ?? [];
  return ids === undefined || title === undefined ? [] : [{ ids: ids.split(', '), title, file }];
}

/**
 * @param {string} file
 * @returns {string[]}
 */
function textsOf(file) {
  const texts = /** @type {string[]} */ ([]);
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022));
  return texts;
}

/**
 * The document: a table of every requirement with the tests that are named after it.
 *
 * @param {readonly NamedTest[]} tests
 * @returns {string}
 */
function renderTable(tests) {
  const rows = Object.entries(REQUIREMENTS).flatMap(([id, promise]) => [
    `| **${id}** | **${promise}** | |`,
    ...tests.filter(({ ids }) => ids.includes(id)).map(({ title, file }) => `| | ${escaped(title)} | \`${file}\` |`),
  ]);
  return [
    '# What is required, and the tests that hold it',
    '',
    'Each test begins with the numbers of the requirements that it holds: `npx jest --config infra/tooling/jest.config.js -t R19`',
    'runs those of one. Written by `node infra/tooling/requirements.js`; a unit test fails where it is not up to date.',
    '',
    '| | requirement, tests | file |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** @param {string} text */
const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

if (require.main === module) fs.writeFileSync(TARGET, renderTable(findNamedTests()));

module.exports = { REQUIREMENTS, TARGET, findNamedTests, renderTable };
