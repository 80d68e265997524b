import type { Tenant } from '../contract';
import { makeFolder } from '../make-folder';
import { Directory, type Lookup } from './directory';
import { errnoOf } from './faults';
import { isRegistered, newOwner, registerOwner } from './owner';
import type { OnStep } from './steps';
import { batchFolder, tenantNames } from './tenant-folder';
import { TenantUsage } from './usage';

/** Where a store reports what it could not put right; a pino logger is one. */
export interface WorkspaceLog {
  warn(facts: object, message: string): void;
}

export interface DiskStoreOptions {
  /** Folder of all tenants; made where it is missing. Links on the way to it are followed, links below it never. */
  readonly dir: string;
  /** Bytes the files of one tenant may take. */
  readonly quotaBytes: number;
  /** Bytes one file may have, in either direction. */
  readonly maxFileBytes: number;
  readonly log?: WorkspaceLog | undefined;
  /** How names are resolved; the platform's best way by default. */
  readonly lookup?: Lookup | undefined;
  /** Told every step of a commit. */
  readonly onStep?: OnStep | undefined;
}

/** What the workspaces of one store share. */
export class StoreContext {
  readonly owner = newOwner();
  private serial = 0;
  private readonly usages = new Map<string, { usage: TenantUsage; users: number }>();

  constructor(readonly options: DiskStoreOptions) {}

  /** Opens the root; undefined where it does not exist. The caller closes it. */
  openRoot(): Directory | undefined {
    try {
      return Directory.openRoot(this.options.dir, this.options.lookup);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Opens the root and makes it where it is missing. The caller closes it. */
  createRoot(): Directory {
    const found = this.openRoot();
    if (found) return found;
    makeFolder(this.options.dir);
    return Directory.openRoot(this.options.dir, this.options.lookup);
  }

  /** Makes sure that other processes see this one living, before it stages anything. */
  async announce(root: Directory): Promise<void> {
    if (!isRegistered(root, this.owner)) await registerOwner(root, this.owner);
  }

  /** Name for a folder in `staging`; never the same twice. */
  newFolder(batchId: string): string {
    return batchFolder(batchId, this.owner.id, this.serial++);
  }

  /** Name for a folder in `staging` that holds nothing of worth any more. */
  newDroppedFolder(): string {
    return `.dropped~${this.owner.id}~${this.serial++}`;
  }

  /** The account of a tenant, the same one for all who hold it at a time. */
  borrowUsage(tenant: Tenant): { usage: TenantUsage; giveBack: () => void } {
    const key = tenantNames(tenant).join('/');
    return this.borrowUsageOf(key);
  }

  /** As `borrowUsage`, by the path of the tenant's folder. */
  borrowUsageOf(key: string): { usage: TenantUsage; giveBack: () => void } {
    const found = this.usages.get(key) ?? {
      usage: new TenantUsage(this.options.quotaBytes, this.owner.id),
      users: 0,
    };
    this.usages.set(key, found);
    found.users++;
    const giveBack = (): void => {
      if (--found.users === 0) this.usages.delete(key);
    };
    return { usage: found.usage, giveBack };
  }
}
