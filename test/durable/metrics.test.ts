import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionRequest } from '../../src/contract';
import { freePort } from '../../src/cli/temporal/ports';
import { METRICS, type MetricDefinition } from '../../src/telemetry/metrics';
import { DurableSetup } from '../support/durable';
import { eventually } from '../support/eventually';
import { EngineProxy } from '../support/engine-proxy';
import { PrometheusServer } from '../support/prometheus';
import type { TypeScriptProcess } from '../support/typescript-process';
import { startWorkerProcess } from '../support/worker-child';

const DASHBOARDS = join(__dirname, '../../infra/dashboards');
const RULES = join(DASHBOARDS, 'alerts.yml');
/** Words that nobody but a caller knows: none of them may reach a metric. */
const SECRETS = { workspaceId: 'acme-workspace', userId: 'ada-lovelace', text: 'attack-at-dawn' };

/** Two slots, and memory for one program of the default size. */
const SMALL = { MAX_CONCURRENT_EXECUTIONS: '2', HOURGLASS_MEMORY_BUDGET_MB: '300' };

let setup: DurableSetup;
let worker: TypeScriptProcess;
let broken: TypeScriptProcess;
/** Between the second worker and its engine. */
let engine: EngineProxy;
let prometheus: PrometheusServer;
let metricsAddress: string;
let brokenAddress: string;

const address = async (): Promise<string> => `127.0.0.1:${await freePort()}`;

async function runPrograms(): Promise<void> {
  const tenant = { workspaceId: SECRETS.workspaceId, userId: SECRETS.userId };
  const code = `import pathlib, sys\nprint("${SECRETS.text}")\npathlib.Path("out.txt").write_text("x" * 1000)\nresult = sum(range(10**6))`;
  const outputFiles = [{ sandboxPath: 'out.txt' }];
  expect((await setup.hourglass.run({ ...tenant, language: 'python', code, outputFiles })).success).toBe(true);
  expect((await setup.hourglass.run({ ...tenant, language: 'shell', code: 'exit 3' })).success).toBe(false);
  const greedy = setup.hourglass.run({
    ...tenant,
    language: 'javascript',
    code: '1',
    resourceLimits: { memoryMb: 10 ** 5 },
  });
  await expect(greedy).rejects.toMatchObject({ code: 'POLICY_DENIED' });
  const session = setup.hourglass.session({
    ...tenant,
    sessionId: 'greedy',
    language: 'shell',
    resourceLimits: { memoryMb: 10 ** 5 },
  });
  await expect(session.run(':')).rejects.toMatchObject({ code: 'POLICY_DENIED' });
  setup.place.write('in.txt', 'y'.repeat(500));
  const inputFiles = [{ path: 'in.txt' }];
  expect((await setup.hourglass.run({ language: 'typescript', code: '1 as number', inputFiles })).success).toBe(true);
}

beforeAll(async () => {
  setup = await DurableSetup.open();
  engine = new EngineProxy(setup.place.dir);
  await engine.start();
  metricsAddress = await address();
  brokenAddress = await address();
  const { settings } = setup.place;
  [worker, broken] = await Promise.all([
    startWorkerProcess({ ...settings, ...SMALL, HOURGLASS_METRICS_ADDRESS: metricsAddress }),
    startWorkerProcess({
      ...settings,
      HOURGLASS_METRICS_ADDRESS: brokenAddress,
      HOURGLASS_TASK_QUEUE: `${settings.HOURGLASS_TASK_QUEUE}-broken`,
      HOURGLASS_STATE_DIR: join(setup.place.dir, 'broken'),
      HOURGLASS_PREWARM: 'shell',
      HOURGLASS_WARM_PER_KEY: '1',
      DOCKER_HOST: engine.dockerHost,
    }),
  ]);
  prometheus = await PrometheusServer.start([metricsAddress, brokenAddress], RULES);
  await runPrograms();
});

afterAll(async () => {
  await prometheus?.stop();
  for (const child of [worker, broken]) child?.kill('SIGTERM');
  await Promise.all([worker?.end(), broken?.end()]);
  await setup.close();
});

/** Resolves when a worker's series of an expression has this value. */
const becomes = (expression: string, value: number, instance = metricsAddress): Promise<unknown> =>
  eventually(
    () => prometheus.value(expression.replace('{', `{instance="${instance}",`)),
    (found) => found === value,
  );

test('executions, failures, starts and refusals are counted by what they were', async () => {
  await becomes('code_execution_count{language="python",status="OK"}', 1);
  await becomes('code_execution_count{language="shell",status="RUNTIME_ERROR"}', 1);
  await becomes('code_execution_count{language="typescript",status="OK"}', 1);
  await becomes('code_execution_count{language="javascript",status="OK"}', 0);
  await becomes('code_execution_failures{type="POLICY_DENIED"}', 2);
  await becomes('code_security_blocks{pattern="memoryMb"}', 2);
  await becomes('code_execution_starts{language="python",start_kind="cold"}', 1);
});

test('waits, times, bytes, memory and processor time are measured', async () => {
  await becomes('code_execution_queue_wait_ms_count{}', 5);
  await becomes('code_execution_duration_ms_count{language="python"}', 1);
  await becomes('code_execution_duration_ms_bucket{language="python",le="3600000"}', 1);
  await becomes('code_execution_bytes_out{}', 1000);
  await becomes('code_execution_bytes_in{}', 500);
  expect(await prometheus.value('code_execution_cpu_seconds_sum{language="python"}')).toBeGreaterThan(0);
  expect(await prometheus.value('code_execution_peak_memory_bytes_sum{language="python"}')).toBeGreaterThan(1_000_000);
});

test('gauges follow the pool, the queue in the worker and the backlog in Temporal', async () => {
  await becomes('code_sandbox_queue_length{}', 0);
  await becomes('code_sandbox_containers_active{}', 0);
  const sleep = { language: 'shell', code: 'sleep 250', timeout: 240_000 } as const;
  const handles = await Promise.all([1, 2, 3].map(() => setup.hourglass.start(sleep)));
  await becomes('code_sandbox_pool_size{state="leased"}', 1);
  await becomes('code_sandbox_containers_active{}', 1);
  await becomes('code_sandbox_queue_length{}', 1);
  await becomes('code_task_queue_backlog{task_type="activity"}', 1);
  for (const handle of handles) await handle.cancel();
  await becomes('code_sandbox_pool_size{state="leased"}', 0);
  await becomes('code_sandbox_queue_length{}', 0);
  await becomes('code_task_queue_backlog{task_type="activity"}', 0);
  await becomes('code_execution_failures{type="CANCELLED"} > bool 1', 1);
});

test('open sessions are counted by their language', async () => {
  const session = setup.hourglass.session({ sessionId: 'counted', language: 'python' });
  await session.run('x = 1');
  await becomes('code_session_count{language="python"}', 1);
  await becomes('code_session_count{language="shell"}', 0);
  await session.close();
  await becomes('code_session_count{language="python"}', 0);
});

test('every metric of the table is scraped, with its labels and no others', async () => {
  const added = new Set(['__name__', 'instance', 'job', 'le', 'service_name']);
  for (const { name, kind, labels } of Object.values<MetricDefinition>(METRICS)) {
    const series = await prometheus.query(kind === 'histogram' ? `${name}_bucket` : name);
    const found = new Set(series.flatMap(({ metric }) => Object.keys(metric).filter((label) => !added.has(label))));
    expect([name, [...found].sort()]).toEqual([name, [...labels].sort()]);
  }
});

const scraped = async (): Promise<string> => (await fetch(`http://${metricsAddress}/metrics`)).text();

test('callers add no series, whatever they ask for', async () => {
  const seriesOfOurs = async (): Promise<string[]> =>
    [...(await scraped()).matchAll(/^code_\S+?(?:\{.*\})?(?= )/gm)].map(String);
  const before = await seriesOfOurs();
  expect(before.length).toBeGreaterThan(100);
  const taskQueue = setup.place.settings.HOURGLASS_TASK_QUEUE ?? '';
  const requests = [
    ...['cobol', 'python",status="X"} 1\n#', '__proto__', ''].map((language) => ({ language, code: '1' })),
    { language: 'python', code: '1', resourceLimits: { 'made-up': 1 } },
    { language: 'python', code: '1', resourceLimits: { memoryMb: 10 ** 5, diskMb: 10 ** 5 } },
    { language: 'python', code: '1', [`field-${process.pid}`]: 1 },
    { language: 'python', code: 'raise type("Nobody", (Exception,), {})()', workspaceId: 'new', executionId: 'new-1' },
    { language: 'shell', code: 'exit 3', userId: 'somebody-else', executionId: 'new-2' },
    'no request at all',
  ];
  const runs = requests.map((request, index) =>
    setup.client.workflow.execute('executeCode', {
      workflowId: `hostile-${process.pid}-${index}`,
      taskQueue,
      args: [request],
    }),
  );
  const ends = (await Promise.allSettled(runs)).map(({ status }) => status);
  expect(ends.filter((end) => end === 'fulfilled')).toHaveLength(2);
  await becomes('code_execution_failures{type="VALIDATION_ERROR"}', 7);
  expect((await seriesOfOurs()).filter((series) => !before.includes(series))).toEqual([]);
});

test('nothing that a caller chose is in the metrics', async () => {
  const scrape = await scraped();
  expect(scrape).toContain('code_execution_count');
  for (const secret of Object.values(SECRETS)) expect(scrape).not.toContain(secret);
});

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

test('every query of the dashboard is valid, and what it asks for is there', async () => {
  const { panels } = JSON.parse(readFileSync(join(DASHBOARDS, 'hourglass.json'), 'utf8')) as Dashboard;
  expect(panels.length).toBeGreaterThan(10);
  for (const { title, targets } of panels) {
    for (const expr of targets.map((target) =>
      target.expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    )) {
      await prometheus.query(expr);
      expect([title, await missing(expr)]).toEqual([title, []]);
    }
  }
});

test('Prometheus loads the alert rules, and what they ask for is there', async () => {
  const text = readFileSync(RULES, 'utf8');
  const alerts = [...text.matchAll(/- alert: (\w+)/g)].map((match) => match[1]);
  expect(await prometheus.rules()).toEqual(alerts);
  expect(selectors(text).length).toBeGreaterThan(8);
  expect(await missing(text)).toEqual([]);
});

/** Starts a program on the second worker. */
const startBehindProxy = (
  name: string,
  request: ExecutionRequest,
): ReturnType<DurableSetup['client']['workflow']['start']> =>
  setup.client.workflow.start('executeCode', {
    workflowId: `${name}-${process.pid}`,
    taskQueue: `${setup.place.settings.HOURGLASS_TASK_QUEUE}-broken`,
    args: [request],
  });

test('a start in a sandbox that waited is counted as warm', async () => {
  await becomes('code_sandbox_pool_size{state="warm"}', 1, brokenAddress);
  await (await startBehindProxy('warm', { language: 'shell', code: ':' })).result();
  await becomes('code_execution_starts{language="shell",start_kind="warm"}', 1, brokenAddress);
  await becomes('code_execution_starts{language="shell",start_kind="cold"}', 0, brokenAddress);
});

test('a worker that cannot start a sandbox makes its alert fire', async () => {
  expect(await prometheus.firing()).not.toContain('HourglassEngineUnavailable');
  await engine.stop();
  const handle = await startBehindProxy('broken', { language: 'python', code: '1' });
  await eventually(
    () => prometheus.firing(),
    (alerts) => alerts.includes('HourglassEngineUnavailable'),
  );
  await handle.terminate();
  // It takes its warm sandboxes along when it ends.
  await engine.start();
});

/** The series that expressions ask for, with the labels they ask for. */
function selectors(text: string): string[] {
  return [...new Set(text.match(/\b(?:(?:code|temporal)_[a-z_]+|up\b)(?:\{[^{}]*\})?/g))];
}

/** What expressions ask for and the workers do not have. */
async function missing(text: string): Promise<string[]> {
  const known = new Set([
    'instance',
    'le',
    ...Object.values<MetricDefinition>(METRICS).flatMap(({ labels }) => labels),
  ]);
  const grouped = [...text.matchAll(/\b(?:by|ignoring) \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
  const series = await Promise.all(
    selectors(text).map(async (selector) => ((await prometheus.query(selector)).length === 0 ? [selector] : [])),
  );
  return [...series.flat(), ...grouped.filter((label) => !known.has(label))];
}
