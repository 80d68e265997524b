import { differences } from '../support/expectation';
import { openTestHost, type TestHost } from '../support/host';
import { type LanguageCase } from '../contract/cases/case';
import { PYTHON_CASES } from '../contract/cases/python';
import { PYTHON_PROGRAMS } from '../contract/cases/python-programs';
import { PYTHON_VALUES } from '../contract/cases/python-values';

/** What a guest has imported ahead when no run waits for it. */
const LEFT_OUT = /asyncio|await |multiprocessing|spawn|random|dataclass|statistics|inspect|subprocess|decimal/;

const CASES: readonly LanguageCase[] = [
  ...[...PYTHON_CASES, ...PYTHON_PROGRAMS, ...PYTHON_VALUES].filter(({ code }) => LEFT_OUT.test(code)),
  {
    title: 'a file of the user that is called subprocess.py is found, and top-level await works beside it',
    code: 'import subprocess\nasync def later():\n    return subprocess.NAME\nresult = await later()',
    files: { 'subprocess.py': 'NAME = "mine"' },
    request: { inputFiles: [{ path: 'subprocess.py' }] },
    expect: { result: 'mine' },
  },
  {
    title: 'multiprocessing by spawn finds the program where a library imports it late',
    code:
      'def double(x):\n    return 2 * x\n' +
      'if __name__ == "__main__":\n    from concurrent.futures import ProcessPoolExecutor\n    import multiprocessing\n' +
      '    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:\n' +
      '        result = list(pool.map(double, [1, 2]))',
    expect: { result: [2, 4] },
  },
];

let host: TestHost;

beforeAll(async () => {
  // Every run waits for the boot of its own sandbox.
  host = await openTestHost({ HOURGLASS_PREWARM: 'none', HOURGLASS_WARM_PER_KEY: '0' });
});

afterAll(() => host.close());

test.each(CASES.map((found) => [found.title, found] as const))('in a cold sandbox: %s', async (_, found) => {
  const result = await host.runCase('python', found);
  expect(differences(result, found.expect)).toEqual([]);
  expect(result.metadata.startKind).toBe('cold');
});

test('a sandbox that was started in a hurry catches up when it is reset', async () => {
  const code = 'import sys\nresult = "asyncio" in sys.modules';
  const request = { language: 'python', code, isolation: 'tenant' } as const;
  expect(await host.run(request)).toMatchObject({ result: false, metadata: { startKind: 'cold' } });
  expect(await host.run(request)).toMatchObject({ result: true, metadata: { startKind: 'reused' } });
});
