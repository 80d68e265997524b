import { workflowInfo } from '@temporalio/workflow';
import { BOUNDS, LANGUAGES, SESSION_BOUNDS, sessionWorkflowIdOf, type SessionOptions } from '../../src/contract';
import { sessionFailure } from './failures';

/** A client names itself as it likes; what it names itself travels from run to run. */
const CLIENT = /^[\w-]{1,64}$/;

type Unchecked = Readonly<Record<string, unknown>>;

function refuse(what: string): never {
  throw sessionFailure('VALIDATION_ERROR', what);
}

const isObject = (value: unknown): value is Unchecked =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Lets a session begin only under its own id, with options that this code can work with; the host checks them to the end.
 *
 * Throws ApplicationFailure VALIDATION_ERROR: what else a workflow throws would be tried again for ever.
 */
export function checkOptions(options: unknown): asserts options is SessionOptions {
  if (!isObject(options)) return refuse('session is not valid: it has no options');
  for (const name of ['sessionId', 'workspaceId', 'userId', 'label'] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'string') refuse(`session is not valid: ${name} is not text`);
  }
  if (typeof options.sessionId !== 'string') refuse('session is not valid: it has no sessionId');
  if (!LANGUAGES.some((language) => language === options.language)) refuse('session is not valid: it has no language');
  for (const name of ['idleTtlMs', 'ttlMs'] as const) checkTtl(name, options[name]);
  const id = sessionWorkflowIdOf(options as unknown as SessionOptions);
  if (workflowInfo().workflowId !== id) refuse(`session is not valid: its workflow has to be ${id}`);
}

/** Throws ApplicationFailure VALIDATION_ERROR for what is no order of a call. */
export function checkOrder(order: unknown): void {
  const { client, number } = isObject(order) ? order : {};
  if (typeof client !== 'string' || !CLIENT.test(client)) refuse('call is not valid: it names no client');
  if (!Number.isSafeInteger(number) || (number as number) < 1) refuse('call is not valid: it has no number');
}

/** Throws ApplicationFailure VALIDATION_ERROR for what no activity would take. */
export function checkPayload(payload: unknown): void {
  if (!isObject(payload)) return refuse('call is not valid: it says nothing');
  const bytes = new TextEncoder().encode(JSON.stringify(payload)).length;
  if (bytes > BOUNDS.requestBytes) refuse(`call is not valid: it has ${bytes} bytes, at most ${BOUNDS.requestBytes}`);
}

/** Throws ApplicationFailure VALIDATION_ERROR for what is no renewal. */
export function checkRenewal(renewal: unknown): void {
  if (renewal === undefined || renewal === null) return;
  if (!isObject(renewal)) return refuse('renewal is not valid');
  checkTtl('idleTtlMs', renewal.idleTtlMs);
}

function checkTtl(name: 'idleTtlMs' | 'ttlMs', value: unknown): void {
  const { min, max } = SESSION_BOUNDS[name];
  const isTime = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  if (value !== undefined && !isTime) refuse(`session is not valid: ${name} must be from ${min} to ${max} ms`);
}
