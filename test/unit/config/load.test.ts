import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, inspectConfig, loadConfig, type ConfigSources } from '../../../src/config';
import { DEFAULT_POLICY } from '../../../src/contract';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'hourglass-config-'));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const HOME = { HOME: '/home/ada' };

function sources(env: Record<string, string>, more: ConfigSources = {}): ConfigSources {
  return { env: { ...HOME, ...env }, cwd, terminal: false, ...more };
}

function writeFile(values: unknown, name = 'hourglass.json'): string {
  const path = join(cwd, name);
  writeFileSync(path, typeof values === 'string' ? values : JSON.stringify(values));
  return path;
}

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('no ConfigError was thrown');
}

describe('defaults', () => {
  test('are those of the reference where it names them', () => {
    const config = loadConfig(sources({}));
    expect(config.maxConcurrentExecutions).toBe(10);
    expect(config.sessions.ttlMs).toBe(600_000);
    expect(config.policy).toEqual(DEFAULT_POLICY);
  });

  test('put workspace and state below the home folder', () => {
    const config = loadConfig(sources({ HOME: '/home/ada' }));
    if (process.platform !== 'linux') return;
    expect(config.workspace.dir).toBe('/home/ada/.local/share/hourglass/workspace');
    expect(config.stateDir).toBe('/home/ada/.local/state/hourglass');
  });

  test('follow the XDG variables', () => {
    const config = loadConfig(sources({ XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/c' }));
    if (process.platform === 'win32') return;
    expect([config.workspace.dir, config.stateDir, config.cacheDir]).toEqual([
      '/d/hourglass/workspace',
      '/s/hourglass',
      '/c/hourglass',
    ]);
  });

  test('leave TLS off without an API key and switch it on with one', () => {
    expect(loadConfig(sources({})).temporal.tls).toBe(false);
    expect(loadConfig(sources({ TEMPORAL_API_KEY: 'k' })).temporal.tls).toBe(true);
    expect(loadConfig(sources({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' })).temporal.tls).toBe(false);
  });
});

describe('order of sources', () => {
  test('the environment wins over the file, the file over the default', () => {
    writeFile({ MAX_CONCURRENT_EXECUTIONS: 3, HOURGLASS_TASK_QUEUE: 'from-file' });
    const { config, settings } = inspectConfig(sources({ MAX_CONCURRENT_EXECUTIONS: '5' }));
    const source = (name: string): string | undefined => settings.find((setting) => setting.name === name)?.source;
    expect(config.maxConcurrentExecutions).toBe(5);
    expect(config.temporal.taskQueue).toBe('from-file');
    expect([source('MAX_CONCURRENT_EXECUTIONS'), source('HOURGLASS_TASK_QUEUE'), source('TEMPORAL_NAMESPACE')]).toEqual(
      ['env', 'file', 'default'],
    );
  });

  test('an empty variable counts as unset', () => {
    expect(loadConfig(sources({ TEMPORAL_NAMESPACE: '', CODE_SANDBOX_TIMEOUT_MS: ' ' })).temporal.namespace).toBe(
      'default',
    );
  });

  test('zero is a value', () => {
    const config = loadConfig(
      sources({ HOURGLASS_WARM_PER_KEY: '0', HOURGLASS_SHUTDOWN_GRACE_MS: '0', HOURGLASS_QUEUE_TIMEOUT_MS: '0' }),
    );
    expect([config.pool.warmPerKey, config.shutdownGraceMs, config.queueTimeoutMs]).toEqual([0, 0, 0]);
  });
});

describe('units and forms', () => {
  test('the memory default is given in bytes and kept in MB', () => {
    const { config, settings } = inspectConfig(sources({ CODE_SANDBOX_MEMORY_BYTES: '536870912' }));
    expect(config.policy.defaults.memoryMb).toBe(512);
    expect(settings.find((setting) => setting.name === 'CODE_SANDBOX_MEMORY_BYTES')?.value).toBe(536_870_912);
  });

  test('an operator may raise the longest timeout to 24 hours and no further', () => {
    expect(loadConfig(sources({ HOURGLASS_MAX_TIMEOUT_MS: '86400000' })).policy.maxima.timeout).toBe(86_400_000);
    expect(() => loadConfig(sources({ HOURGLASS_MAX_TIMEOUT_MS: '86400001' }))).toThrow(/HOURGLASS_MAX_TIMEOUT_MS/);
  });

  test('a list is separated by commas, and none is the empty list', () => {
    expect(loadConfig(sources({ HOURGLASS_PREWARM: 'python, shell' })).pool.prewarm).toEqual(['python', 'shell']);
    expect(loadConfig(sources({ HOURGLASS_PREWARM: 'none' })).pool.prewarm).toEqual([]);
    writeFile({ HOURGLASS_PREWARM: [] });
    expect(loadConfig(sources({})).pool.prewarm).toEqual([]);
  });

  test('paths in the file are relative to the file, and ~ is the home folder', () => {
    const file = writeFile({ HOURGLASS_WORKSPACE_DIR: 'files', HOURGLASS_STATE_DIR: '~/state' }, 'other.json');
    const config = loadConfig(sources({ HOURGLASS_CONFIG: file }));
    expect(config.workspace.dir).toBe(join(cwd, 'files'));
    expect(config.stateDir).toBe('/home/ada/state');
  });

  test.each(['0x10', '1e3', '1_000', '10.5', 'ten', '-1', '1001', 'Infinity'])(
    'MAX_CONCURRENT_EXECUTIONS=%s is refused',
    (value) => {
      expect(() => loadConfig(sources({ MAX_CONCURRENT_EXECUTIONS: value }))).toThrow(
        `MAX_CONCURRENT_EXECUTIONS=${JSON.stringify(value)} (env): must be a whole number from 1 to 1000`,
      );
    },
  );

  test.each(['localhost', 'http://localhost:7233', 'localhost:0', 'localhost:70000', ':7233', 'a b:7233'])(
    'TEMPORAL_ADDRESS=%s is refused',
    (value) => expect(() => loadConfig(sources({ TEMPORAL_ADDRESS: value }))).toThrow(/must be host:port/),
  );

  test.each(['localhost:7233', '127.0.0.1:7233', '[::1]:7233', 'ns.acct.tmprl.cloud:7233'])(
    'TEMPORAL_ADDRESS=%s is taken',
    (value) => expect(loadConfig(sources({ TEMPORAL_ADDRESS: value })).temporal.address).toBe(value),
  );
});

describe('what is wrong', () => {
  test('is all told at once, with name, value and rule', () => {
    writeFile({ TEMPORAL_TLS: 'perhaps', HOURGLAS_TASK_QUEUE: 'q' });
    const message = messageOf(() => loadConfig(sources({ HOURGLASS_LOG_LEVEL: 'loud', CODE_SANDBOX_MAX_PIDS: '3' })));
    expect(message).toContain('TEMPORAL_TLS="perhaps" (file): must be true or false');
    expect(message).toContain('HOURGLASS_LOG_LEVEL="loud" (env): must be one of trace, debug');
    expect(message).toContain('CODE_SANDBOX_MAX_PIDS="3" (env): must be a whole number from 4 to 32768');
    expect(message).toContain(
      'HOURGLAS_TASK_QUEUE=(hidden) (file): is not a setting; did you mean HOURGLASS_TASK_QUEUE?',
    );
  });

  test('R41: never shows a secret', () => {
    const message = messageOf(() => loadConfig(sources({ TEMPORAL_API_KEY: 'two words secret' })));
    expect(message).toContain('TEMPORAL_API_KEY=(hidden)');
    expect(message).not.toContain('secret');
    const { settings } = inspectConfig(sources({ TEMPORAL_API_KEY: 'topsecret' }));
    expect(JSON.stringify(settings)).not.toContain('topsecret');
  });

  test('includes a default that exceeds its maximum', () => {
    expect(() => loadConfig(sources({ CODE_SANDBOX_TIMEOUT_MS: '600000' }))).toThrow(
      'CODE_SANDBOX_TIMEOUT_MS=600000 (env): must not exceed HOURGLASS_MAX_TIMEOUT_MS, which is 300000 ms',
    );
  });

  test('includes a default memory that the budget of the host can never grant', () => {
    expect(() => loadConfig(sources({ HOURGLASS_MEMORY_BUDGET_MB: '128' }))).toThrow(/HOURGLASS_MEMORY_BUDGET_MB/);
  });

  test('explains the ceiling of the output bound', () => {
    expect(() => loadConfig(sources({ CODE_SANDBOX_MAX_OUTPUT_BYTES: '1048576' }))).toThrow(
      /from 1024 to 112640 \(stdout and stderr, each up to this, share one payload of 256 KiB with the result\)/,
    );
  });

  test('includes a named file that is missing, and one that is not an object', () => {
    expect(() => loadConfig(sources({ HOURGLASS_CONFIG: 'nowhere.json' }))).toThrow(/nowhere\.json.*cannot be read/);
    writeFile('[1]');
    expect(() => loadConfig(sources({}))).toThrow(/must hold one JSON object/);
  });

  test('does not include a misspelt variable of the environment, which is a warning', () => {
    const { warnings } = inspectConfig(sources({ HOURGLASS_TASKQUEUE: 'q', HOURGLASS_CONFIG: '' }));
    expect(warnings).toEqual(['HOURGLASS_TASKQUEUE is not a setting; did you mean HOURGLASS_TASK_QUEUE?']);
  });
});
