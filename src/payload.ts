import { heartbeatSchema, type HeartbeatDetails } from './contract';

/** A payload as the server passes it on; somebody else wrote it. */
export interface RawPayload {
  readonly data?: Uint8Array | null;
}

/** The value of a payload that is JSON; undefined for every other, such as an encrypted one. */
export function jsonOf(payload: RawPayload | null | undefined): unknown {
  if (!payload?.data) return undefined;
  try {
    return JSON.parse(Buffer.from(payload.data).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The heartbeat in the details of an activity; undefined where there is none of ours. */
export function heartbeatOf(
  details: { readonly payloads?: readonly RawPayload[] | null } | null | undefined,
): HeartbeatDetails | undefined {
  return heartbeatSchema.safeParse(jsonOf(details?.payloads?.[0])).data;
}
