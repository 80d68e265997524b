import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrometheus } from '../../infra/setup/prometheus/index.js';
import { freePort } from '../../src/cli/temporal/ports';
import { eventually } from './eventually';

/** One series of an answer, with its value now. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}

/** A Prometheus that scrapes once a second, in a folder that goes away. */
export class PrometheusServer {
  private constructor(
    readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  /** Starts one with these targets (`host:port`) under the job `hourglass` and the rules of this file. */
  static async start(targets: readonly string[], rules: string): Promise<PrometheusServer> {
    const { prometheus } = await ensurePrometheus();
    const folder = mkdtempSync(join(tmpdir(), 'hourglass-prometheus-'));
    const config = join(folder, 'prometheus.yml');
    // JSON is YAML.
    writeFileSync(config, JSON.stringify(configuration(targets, rules)));
    const address = `127.0.0.1:${await freePort()}`;
    const paths = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    const child = spawn(prometheus, [...paths, `--web.listen-address=${address}`, '--log.level=error'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const stop = async (): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    };
    const server = new PrometheusServer(`http://${address}`, stop);
    try {
      await eventually(
        () =>
          fetch(`${server.url}/-/ready`).then(
            ({ ok }) => ok || child.exitCode !== null,
            () => child.exitCode !== null,
          ),
        Boolean,
      );
    } catch (error) {
      await stop();
      throw error;
    }
    return server;
  }

  /** The series that an expression has now. Throws with Prometheus' own words where it is not valid. */
  async query(expression: string): Promise<readonly Series[]> {
    const { result } = await this.get<{ result: readonly Series[] }>(`query?query=${encodeURIComponent(expression)}`);
    return result;
  }

  /** The one number that an expression has now; undefined where it has none. */
  async value(expression: string): Promise<number | undefined> {
    const [series] = await this.query(expression);
    return series === undefined ? undefined : Number(series.value[1]);
  }

  async firing(): Promise<readonly string[]> {
    const { alerts } = await this.get<{ alerts: readonly Alert[] }>('alerts');
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname ?? '');
  }

  /** Names of the alert rules that were loaded. */
  async rules(): Promise<readonly string[]> {
    const { groups } = await this.get<{ groups: readonly { rules: readonly { name: string }[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules.map(({ name }) => name));
  }

  private async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1/${path}`);
    const body = (await answer.json()) as { status: string; data: T; error?: string };
    if (body.status !== 'success') throw new Error(`${decodeURIComponent(path)}: ${body.error}`);
    return body.data;
  }
}

function configuration(targets: readonly string[], rules: string): object {
  return {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'hourglass', static_configs: [{ targets }] }],
  };
}
