import { z } from 'zod';
import { executionRequestSchema, type ExecutionRequest } from './request';
import { LIMITS, timeoutSchema } from './limits';
import { LANGUAGES } from './languages';
import { inputKeySchema, inputNameSchema } from './names';
import type { JsonObject } from './json';

/** Memory of a code node that names none, in MB (reference, `CodeNodeConfig`). */
const CODE_NODE_MEMORY_MB = 128;

/** Configuration of a code node in a visual workflow, as in the reference's `CodeNodeConfig`. */
export const codeNodeConfigSchema = z.strictObject({
  language: z.enum(LANGUAGES),
  code: z.string(),
  timeout: timeoutSchema.optional(),
  memory: z.number().int().min(LIMITS.memoryMb.min).max(LIMITS.memoryMb.ceiling).optional(),
  inputVariables: z.array(inputKeySchema).optional(),
  outputVariable: inputNameSchema.optional(),
  allowNetworkAccess: z.boolean().optional(),
});

export type CodeNodeConfig = z.infer<typeof codeNodeConfigSchema>;

/**
 * The request that runs a code node: the named variables of the context, or the entire context when none is named.
 *
 * Throws a ZodError when configuration or context are not valid.
 */
export function codeNodeRequest(config: CodeNodeConfig, context: JsonObject): ExecutionRequest {
  const node = codeNodeConfigSchema.parse(config);
  const names = node.inputVariables ?? Object.keys(context);
  const inputData = Object.fromEntries(
    names.flatMap((name) => (context[name] === undefined ? [] : [[name, context[name]]])),
  );
  const request: ExecutionRequest = {
    language: node.language,
    code: node.code,
    inputData,
    resourceLimits: { memoryMb: node.memory ?? CODE_NODE_MEMORY_MB },
    ...(node.timeout === undefined ? {} : { timeout: node.timeout }),
    ...(node.allowNetworkAccess === undefined ? {} : { allowNetworkAccess: node.allowNetworkAccess }),
  };
  executionRequestSchema.parse(request);
  return request;
}
