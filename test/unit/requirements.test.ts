import { readFileSync } from 'node:fs';
import { findNamedTests, renderTable, REQUIREMENTS, TARGET } from '../../infra/tooling/requirements.js';

const tests = findNamedTests();

test.each(Object.keys(REQUIREMENTS))('%s has a test that is named after it', (id) => {
  expect(tests.filter(({ ids }) => ids.includes(id))).not.toEqual([]);
});

test('a test is named after requirements that there are', () => {
  expect(tests.flatMap(({ ids }) => ids).filter((id) => REQUIREMENTS[id] === undefined)).toEqual([]);
});

test('docs/requirements.md lists these tests; `node infra/tooling/requirements.js` brings it up to date', () => {
  expect(readFileSync(TARGET, 'utf8')).toBe(renderTable(tests));
});
