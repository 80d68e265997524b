import { FAILURES, HourglassError, NON_RETRYABLE_FAILURES, tenantOf, type FailureCode } from '../../../src/contract';

test('what the caller or the policy did wrong is never tried again, unless it only waits for its turn', () => {
  const codes = Object.keys(FAILURES) as FailureCode[];
  const isWait = (code: FailureCode): boolean => new HourglassError(code, '').isWait;
  const wrong = codes.filter((code) => FAILURES[code].fault !== 'platform' && !isWait(code));
  for (const code of wrong) expect(NON_RETRYABLE_FAILURES).toContain(code);
  expect(codes.filter(isWait)).toEqual(['TENANT_LIMIT', 'HOST_DRAINING']);
});

test('an error knows whether a retry can help', () => {
  expect(new HourglassError('ENGINE_UNAVAILABLE', 'x').retryable).toBe(true);
  expect(new HourglassError('POLICY_DENIED', 'x').retryable).toBe(false);
});

test('both halves of a tenant default on their own', () => {
  expect(tenantOf({})).toEqual({ workspaceId: 'default', userId: 'default' });
  expect(tenantOf({ userId: 'ada' })).toEqual({ workspaceId: 'default', userId: 'ada' });
});
