import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionRequest } from '../../src/contract';
import { DurableSetup, sleeper } from './durable';
import { encodeHistory } from './histories';

const HISTORIES = join(__dirname, '../durable/histories');

/** Writes the histories that a release adds to the replay test; its argument is the version, such as `v2`. */
async function record(version: string): Promise<void> {
  const setup = await DurableSetup.open();
  const worker = await setup.worker();
  const keep = async (name: string, request: ExecutionRequest, cancels = false): Promise<void> => {
    const handle = await setup.hourglass.start(request);
    if (cancels) {
      await setup.heartbeat(handle.workflowId, ({ phase }) => phase === 'running');
      await handle.cancel();
    }
    await handle.result().catch(() => undefined);
    const history = await setup.client.workflow.getHandle(handle.workflowId).fetchHistory();
    writeFileSync(join(HISTORIES, `execute-code-${version}-${name}.binpb`), encodeHistory(history));
  };
  mkdirSync(HISTORIES, { recursive: true });
  await keep('result', { language: 'python', code: 'result = 6 * 7', executionId: 'recorded' });
  await keep('refused', { language: 'python', code: '1', timeout: 400_000 });
  await keep('cancelled', { language: 'python', code: sleeper('up') }, true);
  await worker.stop();
  await setup.close();
}

void record(process.argv[2] ?? 'v1');
