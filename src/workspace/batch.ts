import { rename } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { HourglassError, type SavedFile } from '../contract';
import { Claim } from './claim';
import type { Directory } from './directory';
import { asPlatformFault } from './faults';
import { writeManifest, type ManifestFile } from './manifest';
import { mediaTypeOf } from './media-type';
import { rollForward } from './roll-forward';
import { stageFile } from './stage-file';
import type { OnStep } from './steps';
import { checkTarget, Targets } from './targets';
import { FOLDERS, removeEntry } from './tenant-folder';
import type { WorkspaceLog } from './store-context';
import type { TenantUsage } from './usage';
import type { PublishBatch } from './workspace';

/** What a batch needs to know of its store. */
export interface BatchContext {
  /** Opened for this batch, which closes it. */
  readonly tenant: Directory;
  readonly usage: TenantUsage;
  readonly quotaBytes: number;
  readonly maxFileBytes: number;
  readonly batchId: string;
  /** Name of the batch's folder in `staging` and `committed`. */
  readonly folder: string;
  readonly onStep: OnStep | undefined;
  readonly log: WorkspaceLog | undefined;
  /** Called once, when nothing of the batch is under way any more. */
  readonly onSettled: () => void;
}

interface StagedFile extends ManifestFile {
  readonly claim: Claim;
  readonly durable: Promise<void>;
}

type AddOptions = NonNullable<Parameters<PublishBatch['add']>[2]>;

/** Files on their way into a workspace: staged in a folder of their own, which is renamed to commit them. */
export class DiskBatch implements PublishBatch {
  private state: 'open' | 'committing' | 'closed' = 'open';
  private folder: Directory | undefined;
  private serial = 0;
  /** The folder lies in `committed`: it is no longer ours to remove. */
  private moved = false;
  private readonly targets = new Targets();
  private readonly files: StagedFile[] = [];
  private readonly arriving = new Map<Readable, Promise<unknown>>();

  constructor(private readonly context: BatchContext) {}

  async add(workspacePath: string, content: Readable, options: AddOptions = {}): Promise<SavedFile> {
    // Errors are told by the promise; a stream may have one more when it is destroyed.
    content.on('error', () => undefined);
    const adding = this.take(workspacePath.normalize('NFC'), content, options);
    this.arriving.set(content, adding);
    try {
      return await adding;
    } catch (error) {
      content.destroy();
      throw this.explain(error);
    } finally {
      this.arriving.delete(content);
    }
  }

  async commit(): Promise<readonly SavedFile[]> {
    this.requireOpen();
    if (this.arriving.size > 0) throw new Error('files are still on their way into the batch');
    this.state = 'committing';
    try {
      if (this.files.length > 0) await this.publish();
      return this.files.map((file) => file.saved);
    } catch (error) {
      throw this.explain(asPlatformFault(error, 'publishing files'));
    } finally {
      await this.close();
    }
  }

  async abort(): Promise<void> {
    if (this.state !== 'open') return;
    this.state = 'closed';
    for (const content of this.arriving.keys()) content.destroy(new Error('the batch was aborted'));
    await Promise.allSettled(this.arriving.values());
    await this.close();
  }

  private requireOpen(): void {
    if (this.state !== 'open') throw new Error('the batch has been committed or aborted');
  }

  private async take(path: string, content: Readable, options: AddOptions): Promise<SavedFile> {
    this.requireOpen();
    this.targets.take(path);
    let claim: Claim | undefined;
    try {
      claim = this.claimFor(path, options.maxBytes);
      return await this.stage(path, content, claim, options.sandboxPath);
    } catch (error) {
      claim?.release();
      this.targets.giveBack(path);
      throw error;
    }
  }

  private claimFor(path: string, maxBytes = Infinity): Claim {
    const { tenant, usage, quotaBytes, maxFileBytes } = this.context;
    const bounds = { quotaBytes, maxBytes: Math.min(maxBytes, maxFileBytes), replacedBytes: checkTarget(tenant, path) };
    return new Claim(tenant, usage, path, bounds);
  }

  private async stage(path: string, content: Readable, claim: Claim, sandboxPath?: string): Promise<SavedFile> {
    const staged = String(this.serial++);
    const target = this.openFolder().at(staged);
    const { size, sha256, durable } = await stageFile(target, content, (bytes) => claim.take(bytes));
    const facts = { workspacePath: path, size, sha256, mediaType: mediaTypeOf(path) };
    const saved = sandboxPath === undefined ? facts : { ...facts, sandboxPath };
    this.files.push({ staged, saved, claim, durable });
    this.context.onStep?.('staged');
    return saved;
  }

  private openFolder(): Directory {
    if (this.folder) return this.folder;
    let staging: Directory | undefined;
    try {
      staging = this.context.tenant.open(FOLDERS.staging);
      this.folder = staging.openOrCreate(this.context.folder);
      return this.folder;
    } catch (error) {
      throw asPlatformFault(error, 'storing a file');
    } finally {
      staging?.close();
    }
  }

  private async publish(): Promise<void> {
    const { tenant, folder, batchId, usage, onStep } = this.context;
    for (const file of this.files) checkTarget(tenant, file.saved.workspacePath);
    await Promise.all(this.files.map((file) => file.durable));
    onStep?.('durable');
    const files = this.files.map(({ staged, saved }) => ({ staged, saved }));
    await writeManifest(this.openFolder(), { v: 1, batchId, files });
    onStep?.('journalled');
    await this.moveToCommitted();
    onStep?.('committed');
    const onGrowth = (bytes: number): Promise<void> => usage.add(tenant, bytes);
    const [refused] = await rollForward(tenant, folder, { onStep, onGrowth });
    if (refused) throw refused;
  }

  /** A platform fault is none where a later attempt has taken the folder away. */
  private explain(error: unknown): unknown {
    if (!(error instanceof HourglassError) || !this.folder || this.moved) return error;
    const { tenant, folder, batchId } = this.context;
    if (tenant.stat(`${FOLDERS.staging}/${folder}`) !== undefined) return error;
    const message = `workspace: a later attempt at ${batchId} has taken over`;
    return new HourglassError('WORKSPACE_ERROR', message, {}, { cause: error });
  }

  /** The commit: before this rename nothing of the batch will ever be seen, after it all of it will be. */
  private async moveToCommitted(): Promise<void> {
    const { tenant, folder } = this.context;
    const staging = tenant.open(FOLDERS.staging);
    const committed = tenant.open(FOLDERS.committed);
    try {
      await rename(staging.at(folder), committed.at(folder));
      this.moved = true;
      await committed.sync();
    } finally {
      committed.close();
      staging.close();
    }
  }

  private async close(): Promise<void> {
    const { tenant, folder, log, onSettled } = this.context;
    await Promise.allSettled(this.files.map((file) => file.durable));
    try {
      if (this.folder && !this.moved) await removeEntry(tenant, FOLDERS.staging, folder);
    } catch (error) {
      // It hides nothing that matters more; the folder goes when this process is gone.
      log?.warn({ err: error, batch: folder }, 'temporary files of a batch could not be removed');
    } finally {
      this.state = 'closed';
      for (const file of this.files) file.claim.release();
      this.folder?.close();
      tenant.close();
      onSettled();
    }
  }
}
