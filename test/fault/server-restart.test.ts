import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { createHourglassClient } from '../../src/client';
import { HourglassError } from '../../src/contract';
import { RestartableServer } from '../support/restartable-server';
import { TestWorker, WorkerPlace } from '../support/test-worker';

const AWAY_MS = 15_000;

/** Longer than a heartbeat may be late: the server, back again, gives the attempt up or not. */
const CODE = `import secrets, time
token = secrets.token_hex(8)
print(token, flush=True)
time.sleep(3)
open("out.txt", "w").write(token)
result = token`;

/** The second one belongs to `npm run test:fault`. */
const SIGNALS: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM'];

test.each(process.env['HOURGLASS_FAULTS'] === 'all' ? SIGNALS : SIGNALS.slice(0, 1))(
  'a server that is away by %s when a program ends hears of its result afterwards',
  async (signal) => {
    const dir = mkdtempSync(join(tmpdir(), 'hourglass-server-'));
    const server = await RestartableServer.start(dir);
    const place = new WorkerPlace(server.address);
    const worker = await TestWorker.start(place.config);
    const connection = await Connection.connect({ address: server.address });
    const hourglass = await createHourglassClient({ connection, taskQueue: place.config.temporal.taskQueue });
    try {
      const outputFiles = [{ sandboxPath: 'out.txt' }];
      const { workflowId } = await hourglass.start({ language: 'python', code: CODE, outputFiles });
      while (worker.output.length === 0) await delay(50);
      await server.stop(signal);
      await delay(AWAY_MS);
      await server.start();
      const result = await resultOf(() => hourglass.result(workflowId));
      const token = worker.output
        .map(({ chunk }) => chunk)
        .join('')
        .trim();
      expect(result).toMatchObject({ success: true, result: token, stdout: `${token}\n` });
    } finally {
      await worker.stop();
      await connection.close();
      await server.stop('SIGTERM');
      place.remove();
      rmSync(dir, { recursive: true });
    }
  },
);

/** Asks again where the server that comes back does not answer yet. */
async function resultOf<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof HourglassError) throw error;
    }
    await delay(200);
  }
}
