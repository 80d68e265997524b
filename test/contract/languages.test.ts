import { LANGUAGES, type Language } from '../../src/contract';
import { differences } from '../support/expectation';
import { openTestHost, type TestHost } from '../support/host';
import { type LanguageCase } from './cases/case';
import { FILE_CASES } from './cases/files';
import { JAVASCRIPT_CASES, TYPESCRIPT_CASES } from './cases/javascript';
import { JAVASCRIPT_DETAILS, TYPESCRIPT_DETAILS } from './cases/javascript-details';
import { JAVASCRIPT_PROGRAMS, TYPESCRIPT_PROGRAMS } from './cases/javascript-programs';
import { SHARED_CASES } from './cases/limits';
import { PYTHON_CASES } from './cases/python';
import { PYTHON_PROGRAMS } from './cases/python-programs';
import { PYTHON_VALUES } from './cases/python-values';
import { SHELL_CASES } from './cases/shell';
import { SHELL_PROGRAMS } from './cases/shell-programs';

const OWN_CASES: Readonly<Record<Language, readonly LanguageCase[]>> = {
  python: [...PYTHON_CASES, ...PYTHON_PROGRAMS, ...PYTHON_VALUES],
  javascript: [...JAVASCRIPT_CASES, ...JAVASCRIPT_PROGRAMS, ...JAVASCRIPT_DETAILS],
  typescript: [...TYPESCRIPT_CASES, ...TYPESCRIPT_PROGRAMS, ...TYPESCRIPT_DETAILS],
  shell: [...SHELL_CASES, ...SHELL_PROGRAMS, ...FILE_CASES],
};

let host: TestHost;

beforeAll(async () => {
  host = await openTestHost();
});

afterAll(() => host.close());

describe.each(LANGUAGES)('%s', (language) => {
  const shared = SHARED_CASES.map((found) => ({ ...found, code: found.code[language] }));
  test.each([...OWN_CASES[language], ...shared].map((found) => [found.title, found] as const))(
    '%s',
    async (_, found) => {
      const result = await host.runCase(language, found);
      expect(differences(result, found.expect)).toEqual([]);
    },
  );
});
