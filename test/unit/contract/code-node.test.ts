import { BOUNDS, codeNodeConfigSchema, codeNodeRequest, type CodeNodeConfig } from '../../../src/contract';

const NODE: CodeNodeConfig = { language: 'python', code: 'result = sum(numbers) / len(numbers)' };

test('the named variables of the context become inputs', () => {
  const request = codeNodeRequest({ ...NODE, inputVariables: ['numbers'] }, { numbers: [1, 2], other: 'x' });
  expect(request.inputData).toEqual({ numbers: [1, 2] });
});

test('the entire context becomes inputs when none is named', () => {
  expect(codeNodeRequest(NODE, { numbers: [1], other: 'x' }).inputData).toEqual({ numbers: [1], other: 'x' });
});

test('a variable that the context does not have is left out', () => {
  expect(codeNodeRequest({ ...NODE, inputVariables: ['numbers', 'gone'] }, { numbers: [1] }).inputData).toEqual({
    numbers: [1],
  });
});

test('a node has 128 MB where it names no memory, as in the reference', () => {
  expect(codeNodeRequest(NODE, {}).resourceLimits).toEqual({ memoryMb: 128 });
  expect(codeNodeRequest({ ...NODE, memory: 64 }, {}).resourceLimits).toEqual({ memoryMb: 64 });
});

test('timeout and network are passed on where they are named', () => {
  const request = codeNodeRequest({ ...NODE, timeout: 5_000, allowNetworkAccess: true }, {});
  expect(request).toMatchObject({ timeout: 5_000, allowNetworkAccess: true });
  expect(codeNodeRequest(NODE, {})).not.toHaveProperty('timeout');
});

test('what is not valid is a failure of the contract that names the field', () => {
  expect(() => codeNodeRequest({ ...NODE, memory: 1 }, {})).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      message: 'code node is not valid: memory: must be from 32 to 1048576 MB, and is 1',
    }) as Error,
  );
});

test.each<[string, object]>([
  ['code beyond the bound', { code: 'x'.repeat(BOUNDS.codeBytes + 1) }],
  ['too many input variables', { inputVariables: Array.from({ length: BOUNDS.inputNames + 1 }, (_, at) => `v${at}`) }],
  ['an unknown key', { memoryMb: 5 }],
  ['a bad output variable', { outputVariable: 'a-b' }],
  ['a bad input variable', { inputVariables: ['__proto__'] }],
  ['too short a timeout', { timeout: 10 }],
])('%s is refused', (_title, extra) => {
  expect(codeNodeConfigSchema.safeParse({ ...NODE, ...extra }).success).toBe(false);
});
