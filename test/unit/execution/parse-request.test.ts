import { HourglassError } from '../../../src/contract';
import { parseRequest } from '../../../src/execution/parse-request';

function refusal(input: unknown): HourglassError {
  try {
    parseRequest(input);
  } catch (error) {
    if (error instanceof HourglassError) return error;
  }
  throw new Error('was not refused');
}

test('a valid request comes back with its paths normalised', () => {
  const request = parseRequest({
    language: 'shell',
    code: 'true',
    inputFiles: [{ path: 'a.txt', sandboxPath: '/sandbox/b.txt' }],
  });
  expect(request.inputFiles).toEqual([{ path: 'a.txt', sandboxPath: 'b.txt' }]);
});

test('a refusal names path and reason of the first issue and counts the others', () => {
  const error = refusal({ language: 'cobol', code: 'x', timeout: 1 });
  expect(error.code).toBe('VALIDATION_ERROR');
  expect(error.message).toMatch(/^request is not valid: language: .*\(and 1 more\)$/);
  expect(error.details.issues?.map((issue) => issue.path)).toEqual(['language', 'timeout']);
});

test.each([[null], [undefined], [42], ['print(1)'], [[]]])('%j is refused as a request', (input) => {
  expect(refusal(input).code).toBe('VALIDATION_ERROR');
});

test('a refusal stays small however hostile the request is', () => {
  const files = Array.from({ length: 900 }, (_, index) => ({ path: `../${'x'.repeat(900)}${index}` }));
  const error = refusal({ language: 'python', code: '1', inputFiles: files, ['k'.repeat(100_000)]: 1 });
  expect(JSON.stringify({ message: error.message, details: error.details }).length).toBeLessThan(16_000);
});
