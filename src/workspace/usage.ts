import { open, readFile, rename } from 'node:fs/promises';
import { using, type Directory } from './directory';
import { errnoOf } from './faults';
import { FOLDERS, KEPT_FOLDER } from './tenant-folder';
import { walkFiles } from './tree';

/** First line: a total and when it was counted; then one change a line. Several processes append without a lock. */
const USAGE_FILE = 'usage';
const COMPACT_BYTES = 64 * 1024;

/** A refusal is never based on a count older than this; nor is the tree walked more often. */
const FRESH_MS = 10_000;

interface Count {
  readonly total: number;
  /** Wall clock, ms since 1970. */
  readonly countedAt: number;
}

async function readCount(tenant: Directory): Promise<(Count & { bytes: number }) | undefined> {
  try {
    const text = await readFile(tenant.at(USAGE_FILE), 'utf8');
    const [head = '', ...changes] = text.split('\n');
    const [counted, countedAt] = head.split(' ').map(Number);
    const total = changes.reduce((sum, change) => sum + Number(change), counted ?? NaN);
    if (!Number.isSafeInteger(total) || !Number.isSafeInteger(countedAt)) return undefined;
    return { total, countedAt: countedAt ?? 0, bytes: text.length };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeCount(tenant: Directory, count: Count, temporary: string): Promise<void> {
  const staging = tenant.open(FOLDERS.staging);
  try {
    const handle = await open(staging.at(temporary), 'w', 0o644);
    try {
      await handle.writeFile(`${count.total} ${count.countedAt}\n`);
    } finally {
      await handle.close();
    }
    await rename(staging.at(temporary), tenant.at(USAGE_FILE));
  } finally {
    staging.close();
  }
}

/** 0 where the folder is not there. */
async function bytesBelow(tenant: Directory, name: string): Promise<number> {
  if (tenant.stat(name) === undefined) return 0;
  return using(tenant.open(name), async (folder) => {
    let total = 0;
    for await (const file of walkFiles(folder)) total += file.size;
    return total;
  });
}

/**
 * Bytes a tenant's files take, kept as a running total beside the files and shared by the batches of this process.
 *
 * The total follows what other processes commit at the next `load`, and what people change by hand at the next
 * `recount`; it needs no durability, because it can be counted again.
 */
export class TenantUsage {
  private total = 0;
  private reserved = 0;
  private countedAt = 0;

  /** `ownerId` goes into the name of temporary files. */
  constructor(
    private readonly quotaBytes: number,
    private readonly ownerId: string,
  ) {}

  get used(): number {
    return this.total;
  }

  /** Reads the total; counts where there is none. */
  async load(tenant: Directory): Promise<void> {
    const found = await readCount(tenant);
    if (found === undefined) return this.recount(tenant);
    this.total = found.total;
    this.countedAt = found.countedAt;
    if (found.bytes > COMPACT_BYTES) await this.write(tenant);
  }

  /** Counts all files. */
  async recount(tenant: Directory): Promise<void> {
    let total = 0;
    for (const name of [FOLDERS.files, KEPT_FOLDER]) total += await bytesBelow(tenant, name);
    this.total = total;
    this.countedAt = Date.now();
    await this.write(tenant);
  }

  /** Takes room for bytes that are on their way in; false where the quota does not allow it. */
  async reserve(tenant: Directory, bytes: number): Promise<boolean> {
    if (!this.fits(bytes) && this.isOlderThan(FRESH_MS)) await this.recount(tenant);
    if (!this.fits(bytes)) return false;
    this.reserved += bytes;
    return true;
  }

  /** Gives reserved room back. */
  release(bytes: number): void {
    this.reserved -= bytes;
  }

  /** Adds what a commit or a removal changed. */
  async add(tenant: Directory, bytes: number): Promise<void> {
    if (bytes === 0) return;
    this.total += bytes;
    const handle = await open(tenant.at(USAGE_FILE), 'a', 0o644);
    try {
      await handle.appendFile(`${bytes}\n`);
    } finally {
      await handle.close();
    }
  }

  /** Whether the files were last counted longer ago than this, by any process. */
  isOlderThan(ms: number): boolean {
    return Math.abs(Date.now() - this.countedAt) > ms;
  }

  private fits(bytes: number): boolean {
    return this.total + this.reserved + bytes <= this.quotaBytes;
  }

  private write(tenant: Directory): Promise<void> {
    return writeCount(tenant, { total: this.total, countedAt: this.countedAt }, `.usage~${this.ownerId}~0`);
  }
}
