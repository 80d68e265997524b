import type { SessionStatus } from '../../src/contract';
import { markdownTable } from '../markdown-table';

/** What the Temporal UI shows of a session, as a Markdown table. */
export function statusTable(status: SessionStatus): string {
  const { sessionId, language, phase, calls, waiting, hostId, sandboxId, openedAt, lastUsedAt, expiresAt, drainsAt } =
    status;
  return markdownTable([
    ['session', sessionId],
    ['language', language],
    ['state', phase],
    ['calls', String(calls)],
    ['waiting', String(waiting)],
    ['host', hostId ?? 'none yet'],
    ['sandbox', sandboxId ?? 'none yet'],
    ['opened', openedAt],
    ['last used', lastUsedAt],
    ['ends at the latest', expiresAt ?? 'not known yet'],
    ...(drainsAt === undefined ? [] : ([['closes with its host', drainsAt]] as [string, string][])),
    ...(status.recreated > 0 ? ([['sandboxes lost', String(status.recreated)]] as [string, string][]) : []),
  ]);
}
