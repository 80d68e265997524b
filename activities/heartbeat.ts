import type { Context } from '@temporalio/activity';
import type { HeartbeatDetails } from '../src/contract';

/** A running heartbeat. */
export interface Heartbeat {
  /** Beats out of turn. What a failed attempt said last, the next one learns. */
  now(): void;
  /** Sends no more beats. Idempotent. */
  stop(): void;
}

type Beating = (context: Pick<Context, 'heartbeat'>, details: () => HeartbeatDetails, intervalMs: number) => Heartbeat;

/**
 * Beats at once and then every `intervalMs` until it is stopped.
 *
 * Tied to the given context, because timers and abort listeners run outside the activity's async storage. The server
 * answers a beat with cancel, pause and reset: the interval is how late an execution hears of them.
 */
export const startHeartbeat: Beating = (context, details, intervalMs) => {
  const heartbeat = startLater(context, details, intervalMs);
  heartbeat.now();
  return heartbeat;
};

/**
 * As `startHeartbeat`, but not at once: for what its task queue alone leads to its host. What is over within an interval costs
 * the server no beat.
 */
export const startLater: Beating = (context, details, intervalMs) => {
  const beat = (): void => context.heartbeat(details());
  const timer = setInterval(beat, intervalMs);
  return { now: beat, stop: () => clearInterval(timer) };
};
