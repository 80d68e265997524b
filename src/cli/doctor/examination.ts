import { accept, type Acceptable } from '../../doctor/accepted';
import { failure, skipped, type Check, type Verdict } from '../../doctor/check';
import { within } from '../../runner/within';

/** A few checks that one look decides. */
export interface Step {
  /** What it decides, in this order. */
  readonly names: readonly string[];
  /** Checks that must not have failed before; else this step is skipped. */
  readonly needs: readonly string[];
  /** What to do where the step itself fails, with an error. */
  readonly remedy: string;
  /** One verdict for each name, in their order; obeys the signal and leaves nothing behind. */
  run(signal: AbortSignal): Promise<readonly Verdict[]>;
}

/** Longest run of one step, in ms. */
const STEP_MS = 60_000;
/** What a step that was told to end may take to remove its sandbox, in ms. */
const CLEANUP_MS = 40_000;

/** Runs steps one after the other; each is bounded in time, and none of them hides the result of another. */
export class Examination {
  readonly checks: Check[] = [];

  constructor(
    private readonly signal: AbortSignal,
    private readonly accepted: readonly Acceptable[],
    /** Told of each check as soon as it is decided. */
    private readonly onCheck: (check: Check) => void,
  ) {}

  /** Rejects with the signal's reason alone, once the step has removed what it made. */
  async take(step: Step): Promise<void> {
    this.signal.throwIfAborted();
    const obstacle = this.checks.find(({ name, status }) => step.needs.includes(name) && isMissing(status));
    const verdicts = obstacle === undefined ? await this.#run(step) : [];
    const because = obstacle?.name ?? step.names[0];
    step.names.forEach((name, at) => this.#note({ name, ...(verdicts[at] ?? skipped(`"${because}" has failed`)) }));
  }

  /** Whether nothing has failed. */
  get ok(): boolean {
    return this.checks.every(({ status }) => status !== 'failure');
  }

  #note(found: Check): void {
    const check = accept(found, this.accepted);
    this.checks.push(check);
    this.onCheck(check);
  }

  async #run(step: Step): Promise<readonly Verdict[]> {
    const stop = new AbortController();
    const late = (): Error => new Error(`not decided within ${STEP_MS / 1_000} s`);
    const abort = (): void => stop.abort(this.signal.reason);
    const timer = setTimeout(() => stop.abort(late()), STEP_MS);
    this.signal.addEventListener('abort', abort, { once: true });
    try {
      return await within(step.run(stop.signal), STEP_MS + CLEANUP_MS, late);
    } catch (error) {
      this.signal.throwIfAborted();
      return [failure(error instanceof Error ? error.message : String(error), step.remedy)];
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', abort);
    }
  }
}

function isMissing(status: Check['status']): boolean {
  return status === 'failure' || status === 'skipped';
}
