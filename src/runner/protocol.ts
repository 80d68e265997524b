/** First bytes of every frame. */
export const MAGIC = 0x4847;
export const PROTOCOL_VERSION = 1;
export const HEADER_BYTES = 12;
/** Largest payload of one frame; checked before anything is allocated. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

/** Payload of ATTACH and ATTACHED: random, so that no program can write it. */
export const NONCE_BYTES = 32;

/** Frames the host sends. Meanings and payloads: docs/protocol.md. */
export const TO_GUEST = {
  RUN: 0x01,
  CODE: 0x02,
  INPUT: 0x03,
  STDIN: 0x04,
  FILE: 0x05,
  FILE_DATA: 0x06,
  START: 0x07,
  KILL: 0x08,
  LIST: 0x09,
  GET: 0x0a,
  RENEW: 0x0b,
  BYE: 0x0c,
  RESET: 0x0d,
  ATTACH: 0x0e,
  NEXT: 0x0f,
  ARRANGE: 0x10,
  PART: 0x11,
} as const;

/** Frames the guest sends. */
export const TO_HOST = {
  READY: 0x81,
  STAGE_ERROR: 0x82,
  STARTED: 0x83,
  OUTPUT: 0x84,
  PREVIEW: 0x85,
  TAIL: 0x86,
  REPORT: 0x87,
  END: 0x88,
  LISTING: 0x89,
  FILE_DATA: 0x8a,
  FILE_END: 0x8b,
  ATTACHED: 0x8c,
  STATE: 0x8d,
  NOTE: 0x8e,
  FATAL: 0x8f,
  ARRANGED: 0x90,
} as const;

export type ToGuest = keyof typeof TO_GUEST;
export type ToHost = keyof typeof TO_HOST;

/** A frame from the guest after its header was checked; the payload is still hostile. */
export interface GuestFrame {
  readonly type: ToHost;
  readonly id: number;
  readonly payload: Buffer;
}
