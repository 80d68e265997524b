import { executionRequestSchema, parseAs, type ValidRequest } from '../contract';

/** Validates a request. Throws HourglassError VALIDATION_ERROR with the first issues, each with its path. */
export function parseRequest(input: unknown): ValidRequest {
  return parseAs(executionRequestSchema, input, 'request');
}
