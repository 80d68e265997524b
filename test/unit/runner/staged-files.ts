import { Readable } from 'node:stream';
import type { StagedFile } from '../../../src/runner';

/** A file whose bytes are there. */
export function file(content: Buffer | string, rest: Partial<StagedFile> = {}): StagedFile {
  const bytes = Buffer.from(content);
  return { sandboxPath: 'in.txt', size: bytes.length, open: async () => Readable.from([bytes]), ...rest };
}

/** A source that yields one chunk and then nothing, and tells when it is destroyed. */
export function hangingFile(): { file: StagedFile; destroyed: Promise<void> } {
  let onDestroyed = (): void => undefined;
  const destroyed = new Promise<void>((resolve) => (onDestroyed = resolve));
  const open = async (): Promise<Readable> => {
    const source = new Readable({ read: () => undefined });
    source.push('beginning');
    return source.once('close', onDestroyed);
  };
  return { file: { sandboxPath: 'slow.bin', size: 1_000, open }, destroyed };
}
