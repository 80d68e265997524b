import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { z } from 'zod';
import type { ExecutionResult } from '../contract';
import { makeFolder } from '../make-folder';
import { keyText } from './execution-key';
import { loadHostId } from './host-id';
import type { DrainMark, ExecutionKey, Lease, LeaseStore, ResultFacts, WorkerRecord } from './lease-store';
import { isOfAttempt } from './of-attempt';
import { drainMarkSchema, leaseSchema, resultFactsSchema, resultSchema, workerSchema } from './records';
import { LeaseStoreError, probeStore } from './store-probe';
import { written } from './written';

export { LeaseStoreError } from './store-probe';

const STORE_FILE = 'leases.mdb';
const DATABASES = {
  ...{ leases: 'leases', workers: 'workers', results: 'results', facts: 'result-facts' },
  marks: 'marks',
} as const;
/** Key of the one mark that a host may have. */
const DRAIN = 'drain';

/** Records of one kind under their ids; those of a version this program does not know are passed over. */
class Records<T> {
  constructor(
    private readonly database: Database<unknown, string>,
    private readonly schema: z.ZodType<T>,
  ) {}

  async put(id: string, record: T): Promise<void> {
    await written(this.database.put(id, record));
  }

  /** Within a transaction. */
  putNow(id: string, record: T): void {
    this.database.putSync(id, record);
  }

  /** Within a transaction. */
  removeNow(id: string): void {
    this.database.removeSync(id);
  }

  get(id: string): T | undefined {
    this.refresh();
    return this.schema.safeParse(this.database.get(id)).data;
  }

  has(id: string): boolean {
    this.refresh();
    return this.database.doesExist(id);
  }

  async remove(id: string): Promise<void> {
    await written(this.database.remove(id));
  }

  all(): T[] {
    return [...this.entries()].map(([, record]) => record);
  }

  *entries(): Generator<[string, T]> {
    this.refresh();
    for (const { key, value } of this.database.getRange()) {
      const parsed = this.schema.safeParse(value);
      if (parsed.success) yield [key, parsed.data];
    }
  }

  /** Reads see a snapshot that is kept for a while; other processes may have written since. */
  private refresh(): void {
    this.database.resetReadTxn();
  }
}

/** Short, because the store bounds its keys, and different for different tenants. */
function recordId(execution: ExecutionKey): string {
  return createHash('sha256').update(keyText(execution)).digest('hex');
}

class LmdbLeaseStore implements LeaseStore {
  private readonly leases: Records<Lease>;
  private readonly workerRecords: Records<WorkerRecord>;
  /** Texts of JSON, made once for the store and for their size. */
  private readonly results: Database<string, string>;
  /** Beside the results: what is looked through every few minutes has to be small. */
  private readonly resultFacts: Records<ResultFacts>;
  private readonly marks: Records<DrainMark>;
  private closing: Promise<void> | undefined;

  constructor(
    readonly hostId: string,
    private readonly root: RootDatabase<unknown, string>,
  ) {
    this.leases = new Records(root.openDB({ name: DATABASES.leases, encoding: 'json' }), leaseSchema);
    this.workerRecords = new Records(root.openDB({ name: DATABASES.workers, encoding: 'json' }), workerSchema);
    this.results = root.openDB({ name: DATABASES.results, encoding: 'string' });
    this.resultFacts = new Records(root.openDB({ name: DATABASES.facts, encoding: 'json' }), resultFactsSchema);
    this.marks = new Records(root.openDB({ name: DATABASES.marks, encoding: 'json' }), drainMarkSchema);
  }

  /** In a transaction: worker processes of one host write one after the other. */
  put(lease: Lease, over?: Lease): Promise<boolean> {
    return this.#putWhere(lease, (present) =>
      present === undefined ? over === undefined : isOfAttempt(present, over ?? lease),
    );
  }

  claim(lease: Lease, over: Lease): Promise<boolean> {
    return this.#putWhere(
      lease,
      (present) => present !== undefined && isOfAttempt(present, over) && present.phase === over.phase,
    );
  }

  #putWhere(lease: Lease, isFree: (present: Lease | undefined) => boolean): Promise<boolean> {
    const id = recordId(lease);
    return this.#together(() => {
      if (!isFree(this.leases.get(id))) return false;
      this.leases.putNow(id, lease);
      return true;
    });
  }

  /** Commits once for all that is written in one go. */
  #together<T>(act: () => T): Promise<T> {
    return written(this.root.transaction(act));
  }

  get(execution: ExecutionKey): Lease | undefined {
    return this.leases.get(recordId(execution));
  }

  knows(execution: ExecutionKey): boolean {
    const id = recordId(execution);
    return this.leases.has(id) || this.resultFacts.has(id);
  }

  remove(execution: ExecutionKey): Promise<void> {
    return this.leases.remove(recordId(execution));
  }

  all(): Lease[] {
    return this.leases.all();
  }

  async putResult(execution: ExecutionKey, result: ExecutionResult, workerId: string): Promise<void> {
    const id = recordId(execution);
    const text = JSON.stringify(result);
    const facts: ResultFacts = { v: 1, workerId, savedAt: Date.now(), size: text.length };
    await this.#together(() => {
      this.results.putSync(id, text);
      this.resultFacts.putNow(id, facts);
      this.leases.removeNow(id);
    });
  }

  async keepResult(execution: ExecutionKey): Promise<void> {
    const id = recordId(execution);
    await this.#together(() => {
      const facts = this.resultFacts.get(id);
      if (facts !== undefined) this.resultFacts.putNow(id, { ...facts, savedAt: Date.now() });
    });
  }

  result(execution: ExecutionKey): ExecutionResult | undefined {
    this.results.resetReadTxn();
    const text = this.results.get(recordId(execution));
    return text === undefined ? undefined : resultSchema.safeParse(JSON.parse(text)).data;
  }

  async pruneResults(isKept: (facts: ResultFacts) => boolean): Promise<void> {
    const all = [...this.resultFacts.entries()].sort(([, a], [, b]) => b.savedAt - a.savedAt);
    const ended = all.filter(([, facts]) => !isKept(facts)).map(([id]) => id);
    if (ended.length === 0) return;
    await this.#together(() => {
      for (const id of ended) {
        this.results.removeSync(id);
        this.resultFacts.removeNow(id);
      }
    });
  }

  putWorker(worker: WorkerRecord): Promise<void> {
    return this.workerRecords.put(worker.workerId, worker);
  }

  removeWorker(workerId: string): Promise<void> {
    return this.workerRecords.remove(workerId);
  }

  workers(): WorkerRecord[] {
    return this.workerRecords.all();
  }

  drainMark(): DrainMark | undefined {
    return this.marks.get(DRAIN);
  }

  putDrainMark(mark: DrainMark): Promise<void> {
    return this.marks.put(DRAIN, mark);
  }

  removeDrainMark(): Promise<void> {
    return this.marks.remove(DRAIN);
  }

  /** Waits for what is being written. Idempotent. */
  close(): Promise<void> {
    this.closing ??= this.root.close();
    return this.closing;
  }
}

/**
 * Opens the store of this host in `dir` and makes it where it is missing. Worker processes of one host may hold it at
 * the same time; they must share one pid space (the same container, or none).
 *
 * A record is on the disk when `put` resolves; a crash at any moment leaves the store as it was after the last one.
 * Rejects with LeaseStoreError, which names the file and the remedy.
 */
export async function openLeaseStore(dir: string): Promise<LeaseStore> {
  makeStateFolder(dir);
  const hostId = await loadHostId(dir);
  const path = join(dir, STORE_FILE);
  await probeStore(require.resolve('lmdb'), path, Object.values(DATABASES));
  try {
    // With overlapping sync, puts would resolve before they are on the disk; with batches by turn of the event loop, a commit
    // that fails would reject a promise of the library's own, too, which nobody hears of.
    const safety = { overlappingSync: false, eventTurnBatching: false };
    const root = open<unknown, string>({ path, encoding: 'json', ...safety });
    return new LmdbLeaseStore(hostId, root);
  } catch (error) {
    throw new LeaseStoreError(`the lease store ${path} cannot be opened: ${String(error)}`, { cause: error });
  }
}

/** Whether there is a store in `dir`; opening would make one. */
export function hasLeaseStore(dir: string): boolean {
  return existsSync(join(dir, STORE_FILE));
}

function makeStateFolder(dir: string): void {
  try {
    makeFolder(dir);
  } catch (error) {
    throw new LeaseStoreError(`the state folder ${dir} cannot be made: ${String(error)}`, { cause: error });
  }
}
