import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tables } from '../../../src/cli/readme-tables';

const readme = readFileSync(join(__dirname, '..', '..', '..', 'README.md'), 'utf8');

test.each(Object.entries(tables()))('the README has the table of %s as the code works by it', (_, table) => {
  expect(readme).toContain(table);
});
