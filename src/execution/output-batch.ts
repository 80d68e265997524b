import type { Readable } from 'node:stream';
import type { SavedFile } from '../contract';
import type { PublishBatch, Workspace } from '../workspace/workspace';

/** The batch of an execution's output files, opened with its first file: most executions have none. */
export class OutputBatch {
  #opened: Promise<PublishBatch> | undefined;

  constructor(
    private readonly workspace: Workspace,
    /** Of the execution: a retry replaces what an earlier attempt left half done. */
    private readonly batchId: string,
  ) {}

  /** See `PublishBatch.add`. */
  async add(
    workspacePath: string,
    content: Readable,
    options?: { maxBytes?: number; sandboxPath?: string },
  ): Promise<SavedFile> {
    this.#opened ??= this.workspace.publish(this.batchId);
    return (await this.#opened).add(workspacePath, content, options);
  }

  /** Makes all files visible, or none. */
  async commit(): Promise<void> {
    await (await this.#opened)?.commit();
  }

  /** Drops what was added; harmless after `commit`. */
  async abort(): Promise<void> {
    const batch = await this.#opened?.catch(() => undefined);
    await batch?.abort();
  }
}
