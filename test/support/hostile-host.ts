import { LABELS } from '../../src/engine/container/labels';
import { afterEachAttack } from './after-attack';
import { askEngine } from './engine-api';
import { openTestHost, type TestHost } from './host';

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

/** A host for a file of attacks, which is checked after each; without warm sandboxes unless `env` asks for them. */
export function hostileHost(env: Record<string, string> = {}): () => TestHost {
  let host: TestHost | undefined;
  const opened = (): TestHost => {
    if (host === undefined) throw new Error('no test runs yet');
    return host;
  };
  beforeAll(async () => {
    host = await openTestHost({ HOURGLASS_WARM_PER_KEY: '0', ...env });
  });
  afterEachAttack({ run: (request, signal) => opened().run(request, signal), left: () => leftOf(opened()) });
  afterAll(() => opened().close());
  return opened;
}

/** Containers that do not just wait for their first program. */
async function leftOf({ host }: TestHost): Promise<Listed[]> {
  const { leased, resetting, retiring, broken } = host.pool.stats().slots;
  const listed = await containersOf(host.owner.hostId);
  if (leased + resetting + retiring + broken > 0) return listed;
  return listed.filter(({ Id }) => !host.pool.holds(Id));
}
