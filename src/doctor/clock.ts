import { failure, pass, warning, type Verdict } from './check';

/** Clocks that differ by more make times in logs and in Temporal's history contradict each other. */
const SKEW_WARNING_MS = 2_000;
const SKEW_FAILURE_MS = 60_000;

/** What a difference of clocks means; `aheadMs`: by how much the other clock is ahead of ours, undefined where it is not told. */
export function clockVerdict(aheadMs: number | undefined, whose: string): Verdict {
  if (aheadMs === undefined) return pass(`${whose} does not tell the time`);
  const size = Math.abs(aheadMs);
  if (size < SKEW_WARNING_MS) return pass(`${whose} and this machine agree within ${Math.ceil(size) + 1} ms`);
  const detail = `the clock of ${whose} is ${(size / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ours`;
  const verdict = size < SKEW_FAILURE_MS ? warning : failure;
  return verdict(detail, 'synchronise the clocks of both machines (NTP)');
}
