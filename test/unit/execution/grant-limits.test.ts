import { DEFAULT_POLICY, HourglassError, LIMITS, type ExecutionRequest } from '../../../src/contract';
import { grantLimits } from '../../../src/execution/grant-limits';
import { parseRequest } from '../../../src/execution/parse-request';

const grant = (request: Partial<ExecutionRequest>): unknown =>
  grantLimits(parseRequest({ language: 'python', code: '1', ...request }), DEFAULT_POLICY);

test('a request that asks for nothing gets the defaults, and half of its memory as disk', () => {
  expect(grant({})).toEqual({
    timeout: 30_000,
    memoryMb: 256,
    diskMb: 128,
    cpuCores: 0.5,
    maxPids: 100,
    maxOutputBytes: 102_400,
  });
});

test.each([
  [{ timeout: 300_001 }, 'timeout is 300001 ms, this worker allows at most 300000 ms'],
  [{ resourceLimits: { memoryMb: 4_097 } }, 'memoryMb is 4097 MB'],
  [{ resourceLimits: { cpuCores: 4.5 } }, 'cpuCores is 4.5 cores, this worker allows at most 4 cores'],
  [{ allowNetworkAccess: true }, 'allowNetworkAccess is true'],
  [{ packages: ['left-pad'] }, 'packages are asked for'],
  [{ sessionId: 's1' }, 'sessionId is set'],
  [{ engine: 'isolate' as const }, 'engine is "isolate"'],
])('%j is denied by name and value', (request, message) => {
  expect(() => grant(request)).toThrow(message);
  expect(() => grant(request)).toThrow(HourglassError);
});

test('R01: every limit that exceeds the policy is named', () => {
  expect(() => grant({ timeout: 400_000, resourceLimits: { maxPids: 2_000 } })).toThrow(/timeout .*; maxPids is 2000/);
});

test.each([[{ allowNetworkAccess: false }], [{ packages: [] }], [{ engine: 'auto' as const }]])(
  '%j asks for nothing special and is granted',
  (request) => {
    expect(grant(request)).toHaveProperty('timeout', LIMITS.timeout.default);
  },
);
