import type { Check, CheckStatus } from '../../doctor/check';
import { Cleanup } from '../cleanup';
import type { CommandContext } from '../command';
import { EXIT } from '../exit-codes';
import { listenForInterrupts } from '../interrupt';
import type { Channel } from '../terminal';
import { EngineSteps } from './engine-steps';
import { Examination } from './examination';
import { hostSteps } from './host-steps';

/** `hourglass doctor`: resolves with 0, or with 1 when a check failed; every probe is gone then. */
export async function runDoctor({ terminal, options, loadConfig }: CommandContext): Promise<number> {
  const config = await loadConfig();
  const { out, err } = terminal;
  const cleanup = new Cleanup();
  const interrupts = listenForInterrupts(() => err.line('\nStopping; the probe that runs is removed.'));
  cleanup.add(() => interrupts.release());
  const onCheck = (check: Check): void => (options.json ? undefined : print(check, out));
  const examination = new Examination(interrupts.signal, config.engine.accepted, onCheck);
  try {
    const engine = new EngineSteps(config);
    cleanup.add(() => engine.close());
    for (const step of [...engine.steps(), ...hostSteps(config)]) await examination.take(step);
  } finally {
    await cleanup.run();
  }
  const { checks, ok } = examination;
  if (options.json) out.line(JSON.stringify({ checks: checks.map(forMachines), ok }, null, 2));
  else summarise(checks, out);
  return ok ? EXIT.OK : EXIT.FAILED;
}

function forMachines({
  name,
  status,
  detail,
  remedy = null,
}: Omit<Check, 'remedy'> & { remedy?: string | null }): object {
  return { name, status, detail, remedy };
}

const MARKS: Readonly<Record<CheckStatus, string>> = { pass: '✔', warning: '!', failure: '✘', skipped: '-' };
const NAME_WIDTH = 16;

function print({ name, status, detail, remedy }: Check, out: Channel): void {
  const { bold, dim } = out.colors;
  const color = colorOf(status, out);
  const said = status === 'pass' ? '' : `${color(status)}: `;
  out.line(
    `${color(MARKS[status])} ${bold(name.padEnd(NAME_WIDTH))} ${said}${status === 'skipped' ? dim(detail) : detail}`,
  );
  if (remedy !== undefined) out.line(`${' '.repeat(NAME_WIDTH + 3)}${dim('→')} ${remedy}`);
}

function colorOf(status: CheckStatus, { colors }: Channel): (text: string) => string {
  return { pass: colors.green, warning: colors.yellow, failure: colors.red, skipped: colors.dim }[status];
}

function summarise(checks: readonly Check[], out: Channel): void {
  const count = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
  const [passed, warnings, failures, left] = [count('pass'), count('warning'), count('failure'), count('skipped')];
  out.line(`\n${passed} passed, ${warnings} warnings, ${failures} failures, ${left} skipped`);
}
