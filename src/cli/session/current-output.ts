import type { ExecutionResult, HeartbeatDetails } from '../../contract';
import type { OutputChunk } from '../../execution/progress';
import { createLiveOutput, SILENT_OUTPUT, type LiveOutput } from '../run/live-output';
import type { Terminal } from '../terminal';

/** The live output of whichever call of a session runs now; that of others' calls is not shown. */
export class CurrentOutput implements LiveOutput {
  #executionId = '';
  #live = SILENT_OUTPUT;

  /** `isShown` false: nothing is shown before the end, and nothing then. */
  constructor(
    private readonly terminal: Terminal,
    private readonly isShown: boolean,
  ) {}

  /** A call begins. */
  begin(executionId: string): void {
    this.#executionId = executionId;
    this.#live = this.isShown ? createLiveOutput(executionId, this.terminal) : SILENT_OUTPUT;
  }

  onChunk(output: OutputChunk): void {
    this.#live.onChunk(output);
  }

  onHeartbeat(details: HeartbeatDetails): void {
    if (details.executionId === this.#executionId) this.#live.onHeartbeat(details);
  }

  /** The call has ended: what is left of its output is shown. */
  finish(result: ExecutionResult): void {
    this.#live.finish(result);
    this.abandon();
  }

  /** The call has ended without a result. */
  abandon(): void {
    this.#executionId = '';
    this.#live = SILENT_OUTPUT;
  }
}
