import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { savedFileSchema, workspacePathSchema } from '../contract';
import type { Directory } from './directory';

/** The journal of a batch: it lies among the staged files and moves with them. */
const MANIFEST_FILE = 'manifest.json';

const manifestSchema = z.object({
  v: z.literal(1),
  batchId: z.string(),
  files: z.array(
    z.object({
      /** Name in the batch's folder. */
      staged: z.string().regex(/^\d+$/),
      saved: savedFileSchema.extend({ workspacePath: workspacePathSchema }),
    }),
  ),
});

/** Which staged file becomes which file of the workspace. */
export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestFile = Manifest['files'][number];

/** Writes the manifest, durably, with its entry in the folder and those of the staged files. */
export async function writeManifest(batch: Directory, manifest: Manifest): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(batch.at(MANIFEST_FILE), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  try {
    await handle.writeFile(JSON.stringify(manifest));
    await Promise.all([handle.sync(), batch.sync()]);
  } finally {
    await handle.close();
  }
}

/** Rejects where it is missing (ENOENT), damaged or of a version this program does not know. */
export async function readManifest(batch: Directory): Promise<Manifest> {
  return manifestSchema.parse(JSON.parse(await readFile(batch.at(MANIFEST_FILE), 'utf8')));
}
