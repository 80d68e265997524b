import { rename } from 'node:fs/promises';
import { using, type Directory } from './directory';
import { errnoOf } from './faults';
import { OWNERS_FOLDER, OwnerSurvey, registerOwner } from './owner';
import { removeKept } from './kept-folder';
import { rollForward } from './roll-forward';
import type { StoreContext } from './store-context';
import { ownerRecords } from './survey';
import { FOLDERS, isAttemptAt, KEPT_FOLDER, listFolder, removeEntry } from './tenant-folder';
import { findUnfinished, visitTenants } from './unfinished';
import type { TenantUsage } from './usage';
import type { LeftUnfinished } from './workspace';

/** Files that people add or remove by hand are accounted for after this long at the latest. */
const RECOUNT_MS = 3_600_000;

/** One pass spends this long on counting; the next one goes on where it stopped. */
const COUNTING_MS = 10_000;

/** Finishes what earlier attempts at a batch committed, and drops what they only staged, so that they cannot commit. */
export async function takeOver(
  context: StoreContext,
  tenant: Directory,
  usage: TenantUsage,
  batchId: string,
): Promise<void> {
  const [committed, staged] = await Promise.all([
    listFolder(tenant, FOLDERS.committed),
    listFolder(tenant, FOLDERS.staging),
  ]);
  const earlier = committed.filter((name) => isAttemptAt(name, batchId));
  for (const name of earlier) await finish(context, tenant, name);
  if (earlier.length > 0) await usage.recount(tenant);
  for (const name of staged) {
    if (isAttemptAt(name, batchId)) await drop(context, tenant, name);
  }
}

async function finish(context: StoreContext, tenant: Directory, name: string): Promise<void> {
  const refused = await rollForward(tenant, name, { onStep: context.options.onStep });
  for (const { path, reason } of refused) {
    context.options.log?.warn({ batch: name, path, reason }, 'an output file could not be put in its place');
  }
}

/** Renames before it removes: whoever still stages there fails at its commit, and cannot commit a part. */
async function drop(context: StoreContext, tenant: Directory, name: string): Promise<void> {
  const staging = tenant.open(FOLDERS.staging);
  const dropped = context.newDroppedFolder();
  try {
    await rename(staging.at(name), staging.at(dropped));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  } finally {
    staging.close();
  }
  await removeEntry(tenant, FOLDERS.staging, dropped);
}

/** Puts all tenants in order. What fails for one tenant is logged and does not stop the others. */
export class Recovery {
  private countUntil = 0;

  constructor(private readonly context: StoreContext) {}

  /** Resolves with what was left by processes that are gone. */
  async run(): Promise<LeftUnfinished[]> {
    const root = this.context.createRoot();
    try {
      this.countUntil = Date.now() + COUNTING_MS;
      await registerOwner(root, this.context.owner);
      return await using(root.open(OWNERS_FOLDER), (owners) => this.visit(root, new OwnerSurvey(owners)));
    } finally {
      root.close();
    }
  }

  private async visit(root: Directory, survey: OwnerSurvey): Promise<LeftUnfinished[]> {
    const found: LeftUnfinished[] = [];
    await visitTenants(
      root,
      async (tenant, names) => void found.push(...(await this.recoverTenant(tenant, names, survey))),
      (err, names) =>
        this.context.options.log?.warn({ err, tenant: names.join('/') }, 'a workspace could not be put in order'),
    );
    return [...found, ...ownerRecords(await survey.forgetGone())];
  }

  private async recoverTenant(
    tenant: Directory,
    names: [string, string],
    survey: OwnerSurvey,
  ): Promise<LeftUnfinished[]> {
    const unfinished = await findUnfinished(tenant, names, survey);
    const committed = await listFolder(tenant, FOLDERS.committed);
    for (const name of committed) await finish(this.context, tenant, name);
    for (const { kind, name } of unfinished) if (kind === 'staging') await drop(this.context, tenant, name);
    const outlived = unfinished.filter(({ kind }) => kind === 'session');
    for (const { name } of outlived) await removeKept(tenant, `${KEPT_FOLDER}/${name}`);
    await this.account(tenant, names, committed.length > 0 || outlived.length > 0);
    return unfinished;
  }

  /** Counts where a crash or a removal left the total behind, and where people may have changed files by hand. */
  private async account(tenant: Directory, names: [string, string], crashed: boolean): Promise<void> {
    const { usage, giveBack } = this.context.borrowUsageOf(names.join('/'));
    try {
      await usage.load(tenant);
      const due = usage.isOlderThan(RECOUNT_MS) && Date.now() < this.countUntil;
      if (crashed || due) await usage.recount(tenant);
    } finally {
      giveBack();
    }
  }
}
