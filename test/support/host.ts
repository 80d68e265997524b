import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadConfig } from '../../src/config';
import { tenantOf, type ExecutionRequest, type ExecutionResult, type Language } from '../../src/contract';
import { executeRequest } from '../../src/execution/execute-request';
import { ExecutionProgress, type OutputListener } from '../../src/execution/progress';
import { createLog } from '../../src/telemetry/log';
import { openWorkerHost, type WorkerHost } from '../../src/worker-host';
import { type LanguageCase } from '../contract/cases/case';

const BASE64 = 'base64:';

/** A host of its own for a test file: real engine, pool, workspace and leases, in a folder that goes away. No Temporal. */
export interface TestHost {
  readonly host: WorkerHost;
  /** Runs a request on the path of the activity, without a workflow. */
  run(request: ExecutionRequest, signal?: AbortSignal): Promise<ExecutionResult>;
  /** Puts the case's files into a tenant of its own and runs it. */
  runCase(language: Language, found: LanguageCase): Promise<ExecutionResult>;
  close(): Promise<void>;
}

let runs = 0;

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    const bytes = content.startsWith(BASE64) ? Buffer.from(content.slice(BASE64.length), 'base64') : content;
    writeFileSync(target, bytes);
  }
}

/** Opens a host; `env` are configuration variables as an operator would set them. */
export async function openTestHost(env: Record<string, string> = {}, onOutput?: OutputListener): Promise<TestHost> {
  const folder = mkdtempSync(join(tmpdir(), 'hourglass-test-'));
  const config = loadConfig({
    cwd: folder,
    env: {
      ...process.env,
      HOURGLASS_WORKSPACE_DIR: join(folder, 'workspace'),
      HOURGLASS_STATE_DIR: join(folder, 'state'),
      ...env,
    },
  });
  const host = await openWorkerHost(config, { log: createLog({ level: 'error', format: 'json' }), onOutput });
  const run: TestHost['run'] = (request, signal = new AbortController().signal) => {
    runs += 1;
    const progress = new ExecutionProgress(host.owner.hostId, `test-${process.pid}-${runs}`, 0, onOutput);
    const identity = { origin: `test-${runs}`, number: 1, turn: host.attempts.nextTurn() };
    return executeRequest(request, host, { signal, progress, ...identity, log: host.log });
  };
  const runCase: TestHost['runCase'] = async (language, found) => {
    const userId = `user-${process.pid}-${(runs += 1)}`;
    const request: ExecutionRequest = { ...found.request, language, code: found.code, userId };
    const workspace = await host.workspaces.open(tenantOf(request));
    const place = workspace.locate('x');
    if (place === undefined) throw new Error('the test needs a workspace on disk');
    writeFiles(dirname(place), found.files ?? {});
    return run(request);
  };
  const close = async (): Promise<void> => {
    await host.close(10_000);
    rmSync(folder, { recursive: true, force: true });
  };
  return { host, run, runCase, close };
}
