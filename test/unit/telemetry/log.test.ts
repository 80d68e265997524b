import { HourglassError } from '../../../src/contract';
import { createLog, type LogOptions } from '../../../src/telemetry/log';
import { escapeControls, safeText } from '../../../src/telemetry/safe-text';

function collect(options: Partial<LogOptions> = {}): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'json', write: (line) => void lines.push(line), ...options });
  return { lines, log };
}

const parse = (line: string | undefined): Record<string, unknown> => JSON.parse(line ?? '') as Record<string, unknown>;

test('a line holds level, message, time, bound and given fields', () => {
  const { lines, log } = collect();
  log.child({ executionId: 'e-1' }).info({ containerName: 'hourglass-1' }, 'Container created');
  expect(parse(lines[0])).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-/) as string,
    executionId: 'e-1',
    containerName: 'hourglass-1',
    msg: 'Container created',
  });
});

test('levels below the configured one are dropped', () => {
  const { lines, log } = collect({ level: 'warn' });
  log.info({}, 'no');
  log.warn({}, 'yes');
  expect(lines).toHaveLength(1);
});

test('R44: control and reordering characters are escaped in both formats', () => {
  for (const format of ['json', 'pretty'] as const) {
    const { lines, log } = collect({ format });
    const path = 'a\u001b[31m\r\nb\u202ec\u009b';
    log.error({ path, list: [path, [path]], nested: { [path]: path } }, 'Code execution failed');
    expect(lines).toHaveLength(1);
    // eslint-disable-next-line no-control-regex
    expect(lines[0]?.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(lines[0]).toContain('a\\');
  }
});

test('an error is described by type, message, code and cause', () => {
  const { lines, log } = collect();
  const error = new HourglassError(
    'WORKSPACE_ERROR',
    'outer',
    {},
    { cause: new HourglassError('QUEUE_TIMEOUT', 'in\u0007') },
  );
  log.error({ error }, 'Code execution failed');
  expect(parse(lines[0]).error).toEqual({
    type: 'HourglassError',
    message: 'outer',
    code: 'WORKSPACE_ERROR',
    cause: { type: 'HourglassError', message: 'in\\u0007', code: 'QUEUE_TIMEOUT' },
  });
});

test('an error without a code says where it comes from', () => {
  const { lines, log } = collect();
  log.error({ error: new TypeError('defect') }, 'Code execution failed');
  expect(parse(lines[0]).error).toMatchObject({ at: expect.stringContaining('log.test.ts') as string });
});

test('R44: long texts are cut and say how long they were', () => {
  const { lines, log } = collect();
  log.info({ reason: 'x'.repeat(100_000) }, 'm');
  expect(lines[0]?.length).toBeLessThan(2_400);
  expect(parse(lines[0]).reason).toContain('(100000 characters)');
});

test('the format for people is one line with time, level, message and fields', () => {
  const { lines, log } = collect({ format: 'pretty' });
  log.info(
    { containerName: 'hourglass-1', reason: 'two words', limits: { memoryMb: 1 } },
    'Creating sandbox container',
  );
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}Creating sandbox container containerName=hourglass-1 reason="two words" limits=\{"memoryMb":1\}\n$/,
  );
});

test('a cut never leaves half a character unescaped', () => {
  expect(safeText('ab😀', 3)).toBe('ab\\ud83d… (4 characters)');
  expect(escapeControls('plain – text 😀')).toBe('plain – text 😀');
});
