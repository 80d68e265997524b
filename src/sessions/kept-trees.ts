import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { treeFileSchema, treeFolderSchema, type Tree, type TreeFile } from '../runner';
import type { KeptFiles } from '../workspace/workspace';

/** Bytes of a file that is not kept yet. */
export type FetchFile = (file: TreeFile) => Readable;

/** A sandbox that nothing has run in. */
export const EMPTY_TREE: Tree = { files: [], folders: [], others: 0 };

const treeSchema: z.ZodType<Tree> = z.object({
  files: z.array(treeFileSchema),
  folders: z.array(treeFolderSchema),
  others: z.number().int().nonnegative(),
});

/** Trees of files, kept as a text and the contents that it names, each once; a tree goes by the digest of its text. */
export class KeptTrees {
  readonly #known = new Map<string, Tree>();
  readonly #stored = new Set<string>();

  constructor(private readonly kept: KeptFiles) {}

  /** Keeps a tree and those of its files that are not kept yet; its digest. Rejects as `KeptFiles.add` does. */
  async save(tree: Tree, fetch: FetchFile): Promise<string> {
    const text = Buffer.from(JSON.stringify(tree));
    const digest = createHash('sha256').update(text).digest('hex');
    if (this.#stored.has(digest)) return digest;
    const missing = new Set(await this.kept.missing([digest, ...tree.files.map(({ sha256 }) => sha256)]));
    for (const file of tree.files) {
      if (missing.delete(file.sha256)) await this.kept.add(file, fetch(file));
    }
    // Last: where it is kept, all that it names is.
    const list = { path: 'list of files', size: text.length, sha256: digest };
    if (missing.has(digest)) await this.kept.add(list, Readable.from([text]));
    this.#stored.add(digest);
    this.#known.set(digest, tree);
    return digest;
  }

  /** Rejects with HourglassError WORKSPACE_ERROR, or INPUT_FILE_ERROR where it is not kept. */
  async read(digest: string): Promise<Tree> {
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const text = (await buffer((await this.kept.open(digest)).stream())).toString();
    const tree = treeSchema.parse(JSON.parse(text));
    this.#known.set(digest, tree);
    return tree;
  }

  /** Whether all files of a tree are kept. Rejects with HourglassError WORKSPACE_ERROR. */
  async isWhole({ files }: Tree): Promise<boolean> {
    return (await this.kept.missing(files.map(({ sha256 }) => sha256))).size === 0;
  }

  /** What has to stay so that these trees do. Rejects as `read` does. */
  async namedBy(digests: readonly string[]): Promise<ReadonlySet<string>> {
    const trees = await Promise.all(digests.map((digest) => this.read(digest)));
    return new Set([...digests, ...trees.flatMap(({ files }) => files.map(({ sha256 }) => sha256))]);
  }

  /** These are kept no more. */
  forget(digests: readonly string[]): void {
    for (const digest of digests) {
      this.#known.delete(digest);
      this.#stored.delete(digest);
    }
  }
}
