import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;

export type History = temporal.api.history.v1.IHistory;

/**
 * A recorded history as protobuf bytes.
 *
 * Not as JSON: the SDK's conversion needs one copy of protobufjs for all its packages, which npm does not always install.
 */
export function encodeHistory(history: History): Uint8Array {
  return History.encode(history).finish();
}

export function decodeHistory(bytes: Uint8Array): History {
  return History.decode(bytes);
}
