import { sessionWorkflowIdOf } from '../../contract';
import type { BatchLine } from './batch-line';

/** Lines that wait for the one before them, at most: more are left in the file until there is room. */
const MOST_LINES = 1_000;
const MOST_BYTES = 64 * 1_048_576;

/** A line that is to run, and what it takes in the file. */
export interface QueuedLine {
  readonly line: BatchLine;
  readonly bytes: number;
}

/** Keeps lines of one session in the order of the file, and lets other lines pass them. */
export class SessionQueues {
  /** By session; there while a lane works for it. */
  readonly #queues = new Map<string, QueuedLine[]>();
  #lines = 0;
  #bytes = 0;
  #room = Promise.resolve();
  #hasRoom: () => void = () => undefined;

  /**
   * Answers a line and all of its session that come meanwhile, or leaves it to the lane that works for the session.
   *
   * Resolves when the lane may take the next line of the file. Rejects with what `answer` rejects with.
   */
  async answer(queued: QueuedLine, answer: (line: BatchLine) => Promise<void>): Promise<void> {
    const { request } = queued.line;
    const { sessionId } = request;
    if (sessionId === undefined) return answer(queued.line);
    const key = sessionWorkflowIdOf({ ...request, sessionId });
    const before = this.#queues.get(key);
    if (before !== undefined) return this.#leave(queued, before);
    const queue = [queued];
    this.#queues.set(key, queue);
    this.#count(queued, 1);
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        this.#count(next, -1);
        await answer(next.line);
      }
    } finally {
      this.#queues.delete(key);
      for (const unanswered of queue) this.#count(unanswered, -1);
    }
  }

  #leave(queued: QueuedLine, queue: QueuedLine[]): Promise<void> {
    queue.push(queued);
    this.#count(queued, 1);
    return this.#room;
  }

  #count({ bytes }: QueuedLine, change: 1 | -1): void {
    const wasFull = this.#isFull;
    this.#lines += change;
    this.#bytes += change * bytes;
    if (!wasFull && this.#isFull) this.#room = new Promise((resolve) => (this.#hasRoom = resolve));
    if (wasFull && !this.#isFull) this.#hasRoom();
  }

  get #isFull(): boolean {
    return this.#lines >= MOST_LINES || this.#bytes >= MOST_BYTES;
  }
}
