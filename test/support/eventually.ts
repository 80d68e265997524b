import { setTimeout as delay } from 'node:timers/promises';
import { patience } from './patience';

const PATIENCE_MS = patience(60_000);
const POLL_MS = 50;

/**
 * Asks until the answer is there, for what no event announces; fails with the last one after a minute, or longer on a
 * slow engine, or after the time that a requirement gives.
 */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  isThere: (answer: T) => boolean,
  withinMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isThere(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`did not become true: ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    await delay(POLL_MS);
  }
}
