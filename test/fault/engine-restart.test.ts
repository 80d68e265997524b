import { setTimeout as delay } from 'node:timers/promises';
import { DurableSetup } from '../support/durable';
import { OwnEngine } from '../support/own-engine';
import type { TestWorker } from '../support/test-worker';

const SECONDS = 12;
const AWAY_MS = 3_000;
const SETUP_MS = 300_000;

/** Tells its start from any other one. */
const CODE = `import secrets, time
token = secrets.token_hex(8)
print(token, flush=True)
time.sleep(${SECONDS})
print("end")
result = token`;

/** The second one belongs to `npm run test:fault`: an engine of its own takes a while to come up. */
const ENGINES: readonly [string, boolean][] = [
  ['that keeps containers alive over its restart', true],
  ['that ends its containers', false],
];

describe.each(process.env['HOURGLASS_FAULTS'] === 'all' ? ENGINES : ENGINES.slice(0, 1))(
  'an engine %s',
  (_, liveRestore) => {
    let engine: OwnEngine;
    let setup: DurableSetup;
    let worker: TestWorker;

    beforeAll(async () => {
      engine = await OwnEngine.open(liveRestore);
      setup = await DurableSetup.open({ DOCKER_HOST: engine.dockerHost });
      worker = await setup.worker();
    }, SETUP_MS);

    afterAll(async () => {
      await worker.stop();
      await setup.close();
      await engine.close();
    });

    /** Restarts the engine while a program runs. */
    async function overRestart(idempotent: boolean) {
      const handle = await setup.hourglass.start({ language: 'python', code: CODE, timeout: 120_000, idempotent });
      const { tail, sandboxId } = await setup.heartbeat(handle.workflowId, (beat) => (beat.tail ?? '').length > 16);
      await engine.stop();
      await delay(AWAY_MS);
      await engine.start();
      return { handle, token: (tail ?? '').trim(), sandboxId };
    }

    if (liveRestore) {
      test('costs no program anything', async () => {
        const { handle, token, sandboxId } = await overRestart(false);
        const result = await handle.result();
        expect(result).toMatchObject({ success: true, result: token, metadata: { sandboxId } });
        expect(result.stdout).toBe(`${token}\nend\n`);
      });
    } else {
      test('loses a program by name, and does not run it again', async () => {
        const { handle, sandboxId } = await overRestart(false);
        const details = { mayHaveRun: true };
        await expect(handle.result()).rejects.toMatchObject({ code: 'SANDBOX_LOST', retryable: false, details });
        expect(sandboxId).toBeDefined();
      });

      test('has a program run again that may run twice', async () => {
        const { handle, token } = await overRestart(true);
        const result = await handle.result();
        expect(result).toMatchObject({ success: true });
        expect(result.result).not.toBe(token);
      });
    }
  },
);
