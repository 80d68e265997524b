import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { tenantOf, type ExecutionResult, type SavedFile } from '../../contract';
import type { Workspace, WorkspaceStore } from '../../workspace/workspace';
import type { BatchLine } from './batch-line';
import type { ReturnedFile } from './results-file';

/** Of all files in one result line, before they become base64: a line is one text in memory. */
const MAX_INLINE_BYTES = 128 * 1_048_576;

/** The workspace files of one line: what it brings along, and what its program leaves. */
export class LineFiles {
  private constructor(
    private readonly workspace: Workspace,
    private readonly line: BatchLine,
  ) {}

  static async open(store: WorkspaceStore, line: BatchLine): Promise<LineFiles> {
    return new LineFiles(await store.open(tenantOf(line.request)), line);
  }

  /** Puts the line's own files into the workspace, all or none. Rejects with HourglassError. */
  async stage(): Promise<void> {
    const { inline, folder } = this.line;
    if (inline.length === 0) return;
    const batch = await this.workspace.publish(folder.replaceAll('/', '-'));
    try {
      for (const { workspacePath, content } of inline) await batch.add(workspacePath, Readable.from([content]));
      await batch.commit();
    } finally {
      await batch.abort();
    }
  }

  /** Takes them out again. */
  async unstage(): Promise<void> {
    for (const { workspacePath } of this.line.inline) {
      await this.workspace.remove(workspacePath).catch(() => undefined);
    }
  }

  /**
   * What the program left, by its path in the sandbox; undefined where it left nothing. Files up to `maxBytes` come with
   * their content, and leave the workspace where the request named no place for them.
   */
  async collect({ savedFiles }: ExecutionResult, maxBytes: number): Promise<Record<string, ReturnedFile> | undefined> {
    const files = new Map<string, ReturnedFile>();
    let room = MAX_INLINE_BYTES;
    for (const file of savedFiles) {
      if (file.sandboxPath === undefined) continue;
      const content = file.size <= Math.min(maxBytes, room) ? await this.read(file) : undefined;
      room -= content?.length ?? 0;
      const { size, sha256 } = file;
      files.set(file.sandboxPath, {
        size,
        sha256,
        ...(content === undefined ? {} : { base64: content.toString('base64') }),
      });
      if (content !== undefined && file.workspacePath.startsWith(`${this.line.folder}/`)) {
        await this.workspace.remove(file.workspacePath).catch(() => undefined);
      }
    }
    return files.size === 0 ? undefined : Object.fromEntries(files);
  }

  /** Undefined where another run has replaced the file meanwhile, or somebody has taken it away. */
  private async read({ workspacePath, sha256 }: SavedFile): Promise<Buffer | undefined> {
    const opened = await this.workspace.open(workspacePath).catch(() => undefined);
    if (opened === undefined) return undefined;
    try {
      const content = await buffer(opened.stream());
      return createHash('sha256').update(content).digest('hex') === sha256 ? content : undefined;
    } finally {
      await opened.close();
    }
  }
}
