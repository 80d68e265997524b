'use strict';

// Writes the README's tables from the tables of the code: `node infra/tooling/docs.js`, after a build.
const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '..', '..');
const { tables } = require(path.join(ROOT, 'lib', 'src', 'cli', 'readme-tables.js'));
const README = path.join(ROOT, 'README.md');

let text = fs.readFileSync(README, 'utf8');
for (const [name, table] of Object.entries(tables())) {
  const block = new RegExp(`<!-- ${name} -->\n(?:[\\s\\S]*?<!-- /${name} -->)?`);
  text = text.replace(block, () => `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`);
}
fs.writeFileSync(README, text);
