import type { Tenant } from '../contract';
import { DiskWorkspace } from './disk-workspace';
import { asPlatformFault } from './faults';
import { Recovery } from './recover';
import { StoreContext, type DiskStoreOptions } from './store-context';
import { retireOwner } from './owner';
import { surveyStore } from './survey';
import type { LeftUnfinished, Workspace, WorkspaceStore } from './workspace';

export type { DiskStoreOptions, WorkspaceLog } from './store-context';

/** Workspaces in a folder of this machine (`<dir>/<workspaceId>/<userId>/files`); several processes may share it. */
class DiskWorkspaceStore implements WorkspaceStore {
  private readonly context: StoreContext;
  private readonly recovery: Recovery;
  private recovering: Promise<readonly LeftUnfinished[]> | undefined;

  constructor(options: DiskStoreOptions) {
    this.context = new StoreContext(options);
    this.recovery = new Recovery(this.context);
  }

  async open(tenant: Tenant): Promise<Workspace> {
    return new DiskWorkspace(this.context, tenant);
  }

  /** One pass at a time: who asks meanwhile gets the pass that is under way. */
  recover(): Promise<readonly LeftUnfinished[]> {
    this.recovering ??= this.recovery
      .run()
      .catch((error: unknown) => {
        throw asPlatformFault(error, 'putting workspaces in order');
      })
      .finally(() => {
        this.recovering = undefined;
      });
    return this.recovering;
  }

  async survey(): Promise<readonly LeftUnfinished[]> {
    try {
      return await surveyStore(this.context);
    } catch (error) {
      throw asPlatformFault(error, 'looking for what is unfinished in workspaces');
    }
  }

  async retire(): Promise<void> {
    const root = this.context.openRoot();
    try {
      if (root) await retireOwner(root, this.context.owner);
    } catch (error) {
      throw asPlatformFault(error, 'leaving the workspaces');
    } finally {
      root?.close();
    }
  }
}

/**
 * A store on disk. Touches nothing before it is used.
 *
 * On Linux names are resolved by descriptor, which is safe against whoever changes the folders meanwhile. Elsewhere
 * paths are checked before and after opening, which is for development.
 */
export function createDiskWorkspaceStore(options: DiskStoreOptions): WorkspaceStore {
  return new DiskWorkspaceStore(options);
}
