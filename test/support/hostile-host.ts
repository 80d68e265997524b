import { LABELS } from '../../src/engine/container/labels';
import { askEngine } from './engine-api';
import { eventually } from './eventually';
import { openTestHost, type TestHost } from './host';
import { changedPrototypes, readPrototypes } from './prototypes';

/** A container as the engine's list shows it. */
export interface Listed {
  readonly Id: string;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Containers of one host, running or not. */
export async function containersOf(hostId: string): Promise<Listed[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`${LABELS.host}=${hostId}`] }));
  return askEngine<Listed[]>(`/containers/json?all=1&filters=${filters}`);
}

/**
 * A host for a file of attacks. After each attack it has to run the next program and to have no container left; in the
 * end the prototypes that all objects share have to be as they were.
 */
export function hostileHost(env: Record<string, string> = {}): () => TestHost {
  const before = readPrototypes();
  let host: TestHost | undefined;
  const opened = (): TestHost => {
    if (host === undefined) throw new Error('no test runs yet');
    return host;
  };
  beforeAll(async () => {
    host = await openTestHost({ HOURGLASS_WARM_PER_KEY: '0', ...env });
  });
  afterEach(async () => {
    expect((await opened().run({ language: 'shell', code: 'echo served' })).stdout).toBe('served\n');
    const left = (): Promise<Listed[]> => containersOf(opened().host.owner.hostId);
    await eventually(left, (listed) => listed.length === 0);
  });
  afterAll(async () => {
    expect(changedPrototypes(before)).toEqual([]);
    await opened().close();
  });
  return opened;
}
