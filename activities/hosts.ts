import { Context } from '@temporalio/activity';
import { drainOrderSchema, parseAs, type HostActivities } from '../src/contract';
import { reportOf, type ReportingHost } from '../src/host-report';
import type { Drain } from '../src/leases/drain';
import type { Log } from '../src/telemetry/log';
import { toTemporalFailure } from './failures';

/** Notice of sessions where nothing else is said, in ms. */
const NOTICE_MS = 300_000;

/** What a host needs to answer for itself. */
export interface DrainableHost extends ReportingHost {
  readonly drain: Drain;
  readonly log: Log;
}

/** The activities by which a host says how it is, and hears whether it is to take new work. */
export function createHostActivities(host: DrainableHost): HostActivities {
  return {
    describeHost: () => Promise.resolve(reportOf(host)),
    drainHost: async (order: unknown) => {
      const { cancellationSignal } = Context.current();
      try {
        await obey(order, host);
        return reportOf(host);
      } catch (error) {
        throw toTemporalFailure(error, cancellationSignal);
      }
    },
  };
}

async function obey(order: unknown, { drain, log }: DrainableHost): Promise<void> {
  const { drains, noticeMs = NOTICE_MS } = parseAs(drainOrderSchema, order, 'order');
  await (drains ? drain.begin(noticeMs) : drain.end());
  log.info({ drains, ...(drains ? { noticeMs } : {}) }, 'This host was told whether to take new work');
}
