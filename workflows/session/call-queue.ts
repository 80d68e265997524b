import { condition } from '@temporalio/workflow';
import type { CallOrder } from '../../src/contract';

/** How long a call waits for one of the same client that has a smaller number and has not arrived. */
const GAP_MS = 30_000;
/** Clients whose numbers are remembered; of one that is forgotten any number is taken. */
const MAX_CLIENTS = 500;
/** Numbers of a client that were not waited for and may still arrive. */
const MAX_SKIPPED = 50;

interface Ticket extends CallOrder {
  isOverdue: boolean;
  isAdmitted: boolean;
}

/** Which number of a client comes next, and which smaller ones had no turn. */
interface Position {
  readonly next: number;
  readonly skipped: readonly number[];
}

/** The positions of all clients, as they travel from run to run. */
export type Positions = readonly (readonly [client: string, position: Position])[];

/** Lets calls through one at a time, those of one client in the order of their numbers, those of different ones as they come. */
export class CallQueue {
  readonly #waiting: Ticket[] = [];
  readonly #positions: Map<string, Position>;
  #isBusy = false;
  #isOpen = true;

  constructor(positions: Positions = []) {
    this.#positions = new Map(positions);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get isIdle(): boolean {
    return !this.#isBusy && this.#waiting.length === 0;
  }

  get positions(): Positions {
    return [...this.#positions];
  }

  /** Whether a call of this number had its turn already. */
  isPast({ client, number }: CallOrder): boolean {
    const position = this.#positions.get(client);
    return position !== undefined && number < position.next && !position.skipped.includes(number);
  }

  /**
   * Resolves when it is this call's turn, which lasts until `leave`; false where nobody has a turn any more. Rejects, without
   * a turn, where the call is cancelled.
   */
  async enter(order: CallOrder): Promise<boolean> {
    const ticket: Ticket = { ...order, isOverdue: false, isAdmitted: false };
    const isDone = (): boolean => ticket.isAdmitted || !this.#isOpen;
    this.#waiting.push(ticket);
    this.#admitNext();
    try {
      if (!isDone() && !this.#isNext(ticket) && !(await condition(isDone, GAP_MS))) {
        ticket.isOverdue = true;
        this.#admitNext();
      }
      await condition(isDone);
    } catch (error) {
      this.#giveBack(ticket);
      throw error;
    }
    if (!ticket.isAdmitted) this.#giveBack(ticket);
    return ticket.isAdmitted;
  }

  /** Ends the turn. */
  leave({ client, number }: CallOrder): void {
    const { next, skipped } = this.#positions.get(client) ?? { next: number, skipped: [] };
    const missed = Array.from({ length: Math.min(MAX_SKIPPED, Math.max(0, number - next)) }, (_, n) => number - 1 - n);
    const left = [...skipped, ...missed].filter((other) => other !== number).slice(-MAX_SKIPPED);
    // Put in again at the end: the client that was silent for longest is the first to be forgotten.
    this.#positions.delete(client);
    this.#positions.set(client, { next: Math.max(number + 1, next), skipped: left });
    const [oldest] = this.#positions.keys();
    if (this.#positions.size > MAX_CLIENTS && oldest !== undefined) this.#positions.delete(oldest);
    this.#free();
  }

  /** Sends away all that wait, and all that come. */
  close(): void {
    this.#isOpen = false;
  }

  #giveBack(ticket: Ticket): void {
    if (ticket.isAdmitted) return this.#free();
    const index = this.#waiting.indexOf(ticket);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  #free(): void {
    this.#isBusy = false;
    this.#admitNext();
  }

  /** Of a client that is new, or was forgotten, nobody knows what came before. */
  #isNext({ client, number }: Ticket): boolean {
    const position = this.#positions.get(client);
    return position === undefined ? number === 1 : number <= position.next;
  }

  #admitNext(): void {
    if (this.#isBusy || !this.#isOpen) return;
    const index = this.#waiting.findIndex((ticket) => ticket.isOverdue || this.#isNext(ticket));
    const [ticket] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (ticket === undefined) return;
    this.#isBusy = true;
    ticket.isAdmitted = true;
  }
}
