import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Tenant } from '../contract';
import { Claim } from './claim';
import { using, type Directory } from './directory';
import { asPlatformFault, errnoOf, inputFault } from './faults';
import { readKeptIndex, writeKeptIndex } from './kept-index';
import { encodeName } from './names';
import { DiskFile, openRegular } from './opened-file';
import { stageFile } from './stage-file';
import type { StoreContext } from './store-context';
import { createTenant, KEPT_FOLDER, openTenant, tenantNames } from './tenant-folder';
import type { TenantUsage } from './usage';
import { openFolder } from './walk';
import {
  OutputRefused,
  type KeptContent,
  type KeptFiles,
  type KeptIndex,
  type KeptWriting,
  type OpenedFile,
} from './workspace';

/** The contents, by their digests; what is on its way in begins with a dot. */
const CONTENTS = 'contents';

/** What is kept of one session, in `<tenant>/sessions/<name>`. */
export class KeptFolder implements KeptFiles {
  readonly #folder: string;

  constructor(
    private readonly context: StoreContext,
    private readonly tenant: Tenant,
    name: string,
  ) {
    this.#folder = `${KEPT_FOLDER}/${encodeName(name)}`;
  }

  async read(): Promise<KeptIndex | undefined> {
    return this.#ifThere('reading kept files', this.#folder, readKeptIndex);
  }

  async missing(digests: Iterable<string>): Promise<ReadonlySet<string>> {
    const all = new Set(digests);
    const look = (contents: Directory): Set<string> =>
      new Set([...all].filter((digest) => contents.stat(digest) === undefined));
    return (await this.#ifThere('looking for kept files', this.#contents, look)) ?? all;
  }

  add(content: KeptContent, bytes: Readable): Promise<void> {
    bytes.on('error', () => undefined);
    return this.#counted('keeping a file', (tenant, usage) =>
      using(
        openFolder(tenant, this.#contents, () => undefined),
        async (contents) => {
          const { quotaBytes } = this.context.options;
          const bounds = { quotaBytes, maxBytes: content.size, replacedBytes: 0 };
          const claim = new Claim(tenant, usage, content.path, bounds);
          const staged = contents.at(`.${randomUUID()}`);
          try {
            const { size, sha256, durable } = await stageFile(staged, bytes, (count) => claim.take(count));
            await durable;
            if (sha256 !== content.sha256) throw new OutputRefused(content.path, 'changed while it was read');
            await rename(staged, contents.at(content.sha256));
            return size;
          } catch (error) {
            await rm(staged, { force: true });
            throw error;
          } finally {
            claim.release();
            bytes.destroy();
          }
        },
      ),
    );
  }

  async open(sha256: string): Promise<OpenedFile> {
    const path = `${sha256} of the session`;
    const handle = await this.#ifThere('opening a kept file', this.#contents, (contents) =>
      openRegular(contents, sha256),
    );
    if (handle === undefined) throw inputFault(path, 'is not kept any more');
    return DiskFile.check(handle, path, Number.MAX_SAFE_INTEGER);
  }

  async write(index: KeptIndex, { durable = false, isNamed }: KeptWriting = {}): Promise<void> {
    await this.#counted('keeping files', (tenant) =>
      using(
        openFolder(tenant, this.#contents, () => undefined),
        async (contents) => {
          if (durable) await contents.sync();
          await using(openFolder(tenant, this.#folder), (folder) => writeKeptIndex(folder, index, durable));
          return isNamed === undefined ? 0 : -(await forget(contents, isNamed));
        },
      ),
    );
  }

  async remove(): Promise<void> {
    const { usage, giveBack } = this.context.borrowUsage(this.tenant);
    try {
      await this.#ifThere('removing kept files', '', async (tenant) => {
        await usage.load(tenant);
        await usage.add(tenant, -(await removeKept(tenant, this.#folder)));
      });
    } finally {
      giveBack();
    }
  }

  get #contents(): string {
    return `${this.#folder}/${CONTENTS}`;
  }

  /** Adds the bytes that the work has added to the tenant's account. */
  async #counted(doing: string, work: (tenant: Directory, usage: TenantUsage) => Promise<number>): Promise<void> {
    const { usage, giveBack } = this.context.borrowUsage(this.tenant);
    try {
      await using(await this.#createTenant(), async (tenant) => {
        await usage.load(tenant);
        await usage.add(tenant, await work(tenant, usage));
      });
    } catch (error) {
      throw asPlatformFault(error, doing);
    } finally {
      giveBack();
    }
  }

  #createTenant(): Promise<Directory> {
    return using(this.context.createRoot(), (root) => createTenant(root, tenantNames(this.tenant)));
  }

  /** Uses a folder below the tenant's; undefined where it is not there. */
  async #ifThere<T>(doing: string, folder: string, use: (folder: Directory) => Promise<T> | T): Promise<T | undefined> {
    try {
      const root = this.context.openRoot();
      const tenant = root && (await using(root, () => openTenant(root, tenantNames(this.tenant))));
      return tenant && (await using(tenant, () => using(openFolder(tenant, folder), use)));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw asPlatformFault(error, doing);
    }
  }
}

/** Removes contents that nobody names; their bytes. */
async function forget(contents: Directory, isNamed: (sha256: string) => boolean): Promise<number> {
  let freed = 0;
  for (const name of await readdir(contents.at('.'))) {
    if (isNamed(name)) continue;
    freed += name.startsWith('.') ? 0 : (contents.stat(name)?.size ?? 0);
    await rm(contents.at(name), { force: true });
  }
  return freed;
}

/** Removes all that is kept of one session; its bytes. */
export async function removeKept(tenant: Directory, folder: string): Promise<number> {
  const bytes = await keptBytes(tenant, folder);
  await rm(tenant.at(folder), { recursive: true, force: true });
  return bytes;
}

/** Bytes of the contents that are kept of one session. */
export async function keptBytes(tenant: Directory, folder: string): Promise<number> {
  try {
    return await using(openFolder(tenant, `${folder}/${CONTENTS}`), async (contents) => {
      const names = (await readdir(contents.at('.'))).filter((name) => !name.startsWith('.'));
      return names.reduce((sum, name) => sum + (contents.stat(name)?.size ?? 0), 0);
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
