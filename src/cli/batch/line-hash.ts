import { createHash } from 'node:crypto';
import type { ExecutionRequest } from '../../contract';

/** What is the same for a line at each start of its batch, and for no other line: of its id and its request. */
export function hashOfLine(lineId: string, request: ExecutionRequest): string {
  const line = JSON.stringify([lineId, request]);
  return createHash('sha256').update(line).digest('hex').slice(0, 32);
}
