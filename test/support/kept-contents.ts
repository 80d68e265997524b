import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerPlace } from './test-worker';

/** Names of what is kept of a tenant's sessions: each list of files, and each content. */
export function keptContents({ dir }: WorkerPlace, userId: string): string[] {
  const sessions = join(dir, 'workspace', 'default', userId, 'sessions');
  return entriesOf(sessions).flatMap((name) => entriesOf(join(sessions, name, 'contents')));
}

/** None where it is not there, or is being removed. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
