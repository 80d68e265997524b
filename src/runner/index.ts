export { boundMessage, boundText } from './bounded-text';
export { bye, GuestChannel, renew, type GuestReady, type GuestStreams } from './channel';
export { FileFetcher, FileRefused, listFiles, type Listing } from './collect';
export { runProgram, type RunOptions } from './host';
export { preloadFor } from './preload';
export * from './program';
export { missingOutput, rootsOf, selectOutputs, type SelectedOutput, type Selection } from './select-outputs';
