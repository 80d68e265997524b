/** Moments of a batch at which a crash means something else than a moment before. */
export type BatchStep = 'staged' | 'durable' | 'journalled' | 'committed' | 'moved' | 'published' | 'cleaned';

/** Told each step when it is done; tests end the process there. */
export type OnStep = (step: BatchStep) => void;
