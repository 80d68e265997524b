import { z } from 'zod';
import { parseAs } from './parse';
import { codeSchema, executionRequestSchema, type ExecutionRequest } from './request';
import { BOUNDS, memorySchema, timeoutSchema } from './limits';
import { LANGUAGES } from './languages';
import { inputKeySchema, inputNameSchema } from './names';
import type { JsonObject } from './json';

/** Memory of a code node that names none, in MB (reference, `CodeNodeConfig`). */
const CODE_NODE_MEMORY_MB = 128;

/** Configuration of a code node in a visual workflow, as in the reference's `CodeNodeConfig`. */
export const codeNodeConfigSchema = z.strictObject({
  language: z.enum(LANGUAGES),
  code: codeSchema,
  timeout: timeoutSchema.optional(),
  memory: memorySchema.optional(),
  inputVariables: z.array(inputKeySchema).max(BOUNDS.inputNames).optional(),
  outputVariable: inputNameSchema.optional(),
  allowNetworkAccess: z.boolean().optional(),
});

export type CodeNodeConfig = z.infer<typeof codeNodeConfigSchema>;

/**
 * The request that runs a code node: the named variables of the context, or the entire context when none is named. A
 * variable that the context lacks is left out, so that a program can serve several branches of a workflow.
 *
 * Throws HourglassError VALIDATION_ERROR when configuration or context are not valid.
 */
export function codeNodeRequest(config: CodeNodeConfig, context: JsonObject): ExecutionRequest {
  const node = parseAs(codeNodeConfigSchema, config, 'code node');
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
  parseAs(executionRequestSchema, request, 'request');
  return request;
}
