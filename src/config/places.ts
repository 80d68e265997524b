import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './env';

/** Folders of one user on one machine, as the platform's conventions name them. */
export interface Places {
  readonly home: string;
  /** What the user would miss: the workspace. */
  readonly data: string;
  /** What the machine must remember: leases, logs. */
  readonly state: string;
  /** What can be fetched again; the same folder that infra/setup uses. */
  readonly cache: string;
}

type BaseFolders = Omit<Places, 'home'>;

/** The folders of the user who runs this process. The XDG variables win on every platform but Windows. */
export function placesOf(env: Environment, platform: NodeJS.Platform = process.platform): Places {
  const home = env.HOME || homedir();
  const base = platform === 'win32' ? windowsFolders(env, home) : unixFolders(env, home, platform);
  return {
    home,
    data: join(base.data, 'hourglass'),
    state: join(base.state, 'hourglass'),
    cache: join(base.cache, 'hourglass'),
  };
}

function unixFolders(env: Environment, home: string, platform: NodeJS.Platform): BaseFolders {
  const library = platform === 'darwin' ? join(home, 'Library', 'Application Support') : undefined;
  return {
    data: env.XDG_DATA_HOME || (library ?? join(home, '.local', 'share')),
    state: env.XDG_STATE_HOME || (library ?? join(home, '.local', 'state')),
    cache: env.XDG_CACHE_HOME || join(home, '.cache'),
  };
}

function windowsFolders(env: Environment, home: string): BaseFolders {
  const local = env.LOCALAPPDATA || join(home, 'AppData', 'Local');
  return { data: local, state: local, cache: join(home, '.cache') };
}
