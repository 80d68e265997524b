import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensurePrometheus } from '../../infra/setup/prometheus/index.js';

const RULES = resolve(__dirname, '../../infra/dashboards/alerts.yml');
const LABELS = 'job="hourglass",instance="a"';
const NONE = 'CANCELLED|VALIDATION_ERROR|POLICY_DENIED|INPUT_FILE_ERROR|WORKER_SHUTDOWN|EXECUTION_INTERRUPTED'.split(
  '|',
);

let promtool: string;
let folder: string;

beforeAll(async () => {
  ({ promtool } = await ensurePrometheus());
  folder = mkdtempSync(join(tmpdir(), 'hourglass-alerts-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Series by name and labels, with their values minute by minute in Prometheus' notation (`0+5x60`: 5 more each minute). */
type World = Readonly<Record<string, string>>;

/** Lets Prometheus' own tool play an hour of a world: whether so many of these alerts fire at its end. */
function endsWith(firing: number, alertname: string, world: World): boolean {
  const expr = `count(ALERTS{alertname="${alertname}",alertstate="firing"}) or vector(0)`;
  const input_series = Object.entries(world).map(([series, values]) => ({ series, values }));
  const promql_expr_test = [{ expr, eval_time: '60m', exp_samples: [{ value: firing }] }];
  const file = join(folder, 'test.yml');
  // JSON is YAML.
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [RULES], tests: [{ interval: '1m', input_series, promql_expr_test }] }),
  );
  return spawnSync(promtool, ['test', 'rules', file]).status === 0;
}

function fires(alert: string, world: World): boolean {
  const isFiring = endsWith(1, alert, world);
  // A world that cannot be played ends in no way at all.
  expect(endsWith(0, alert, world)).toBe(!isFiring);
  return isFiring;
}

const attempts = (each: number): World => ({ [`code_execution_queue_wait_ms_count{${LABELS}}`]: `0+${each}x60` });
const failures = (type: string, each: number): World => ({
  [`code_execution_failures{${LABELS},type="${type}"}`]: `0+${each}x60`,
});
const waits = (below: number): World => ({
  [`code_execution_queue_wait_ms_bucket{${LABELS},le="10000"}`]: `0+${below}x60`,
  [`code_execution_queue_wait_ms_bucket{${LABELS},le="60000"}`]: '0+100x60',
  [`code_execution_queue_wait_ms_bucket{${LABELS},le="+Inf"}`]: '0+100x60',
});
const starts = (cold: number, warm: number): World => ({
  [`code_execution_starts{${LABELS},language="python",start_kind="cold"}`]: `0+${cold}x60`,
  [`code_execution_starts{${LABELS},language="python",start_kind="warm"}`]: `0+${warm}x60`,
});
const backlog = (activities: string): World => ({
  [`code_task_queue_backlog{${LABELS},task_type="activity"}`]: activities,
  [`code_task_queue_backlog{${LABELS},task_type="workflow"}`]: '1000x60',
});
const boots = (each: string): World => ({ [`code_sandbox_boot_failures{${LABELS}}`]: each });

/** For each alert what makes it fire, and what is like it and must not. */
const CASES: Readonly<Record<string, { readonly fault: World; readonly alike: Readonly<Record<string, World>> }>> = {
  HourglassWorkerDown: {
    fault: { [`up{${LABELS}}`]: '1x50 0x10' },
    alike: {
      'one scrape that failed': { [`up{${LABELS}}`]: '1x50 0 1x10' },
      'another job': { 'up{job="node"}': '0x60' },
    },
  },
  HourglassPlatformFailures: {
    fault: { ...attempts(100), ...failures('SANDBOX_LOST', 10) },
    alike: {
      'one of fifty': { ...attempts(100), ...failures('SANDBOX_LOST', 2) },
      'nothing to do': { ...attempts(0), ...failures('SANDBOX_LOST', 0) },
      ...Object.fromEntries(
        NONE.map((type) => [`every one ends as ${type}`, { ...attempts(100), ...failures(type, 100) }]),
      ),
    },
  },
  HourglassEngineUnavailable: {
    fault: failures('ENGINE_UNAVAILABLE', 1),
    alike: { 'an hour ago': { [`code_execution_failures{${LABELS},type="ENGINE_UNAVAILABLE"}`]: '0 1 1x60' } },
  },
  HourglassQueueWaitLong: { fault: waits(80), alike: { 'one of a hundred waits': waits(99) } },
  HourglassBacklog: { fault: backlog('200x60'), alike: { 'a peak of minutes': backlog('0x55 200x5') } },
  HourglassStartsCold: {
    fault: starts(30, 10),
    alike: { 'most are warm': starts(10, 30), 'hardly any runs': starts(1, 0) },
  },
  HourglassBootsFail: {
    fault: boots('0+1x60'),
    alike: { 'one an hour ago': boots('0 1x60'), three: boots('0x55 3x5') },
  },
};

test("Prometheus' own tool finds nothing wrong with the alert rules", () => {
  expect(execFileSync(promtool, ['check', 'rules', RULES], { encoding: 'utf8' })).toMatch(/SUCCESS: \d+ rules found/);
});

test('every alert has its cases', () => {
  const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map((match) => match[1]);
  expect(Object.keys(CASES).sort()).toEqual(alerts.sort());
});

test.each(Object.entries(CASES))('%s fires for what it is there for', (alert, { fault }) => {
  expect(fires(alert, fault)).toBe(true);
});

test.each(
  Object.entries(CASES).flatMap(([alert, { alike }]) =>
    Object.entries(alike).map(([what, world]) => [alert, what, world] as const),
  ),
)('%s does not fire: %s', (alert, _, world) => {
  expect(fires(alert, world)).toBe(false);
});
