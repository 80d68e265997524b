import type { ExecutionRequest } from '../../contract';
import { hashOf } from './batch-id';

/** What is the same for a line at each start of its batch, and for no other line: of its id and its request. */
export function hashOfLine(lineId: string, request: ExecutionRequest): string {
  return hashOf(JSON.stringify([lineId, request])).slice(0, 32);
}
