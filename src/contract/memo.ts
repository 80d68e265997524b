import { z } from 'zod';
import { idSchema } from './names';
import type { ExecutionRequest } from './request';
import { tenantOf } from './tenant';

/** Key of our entry in the memo of a workflow. */
export const MEMO_KEY = 'hourglass';

/** What lists show of an execution without reading its history; holds no code and no inputs. */
export const executionMemoSchema = z.object({
  v: z.literal(1),
  executionId: idSchema,
  workspaceId: idSchema,
  userId: idSchema,
  language: z.string(),
  label: z.string().optional(),
});

export type ExecutionMemo = z.infer<typeof executionMemoSchema>;

/** The memo of an execution of this request. */
export function memoOf(request: ExecutionRequest & { readonly executionId: string }): ExecutionMemo {
  const { executionId, language, label } = request;
  return { v: 1, executionId, ...tenantOf(request), language, ...(label === undefined ? {} : { label }) };
}
