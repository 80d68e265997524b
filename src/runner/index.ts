export { boundMessage, boundText } from './bounded-text';
export { bye, GuestChannel, renew, type GuestStreams } from './channel';
export type { GuestReady } from './ready';
export { FileFetcher, FileRefused, listFiles, type Listing } from './collect';
export { giveUpCall } from './give-up-call';
export type { GuestState } from './guest-state';
export { resumeProgram, runProgram, type RunOptions, type StartedProgram } from './host';
export { isLeaving, LeaveRunning, StreamBroken, TakenOver } from './leave';
export { preloadFor } from './preload';
export * from './program';
export {
  arrangeTree,
  listTree,
  treeFileSchema,
  treeFolderSchema,
  type ArrangeFault,
  type Tree,
  type TreeBounds,
  type TreeFile,
} from './tree';
export {
  rootsOf,
  selectOutputs,
  type ListedRoot,
  type Listings,
  type SelectedOutput,
  type Selection,
} from './select-outputs';
