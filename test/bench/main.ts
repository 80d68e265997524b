import { readOptions } from './options';
import { machineFacts, outcomeOf, tableOf, type Outcome } from './report';
import type { BenchContext, Row } from './row';
import { ROWS } from './rows';

/* eslint-disable no-console -- a command line of its own */

const USAGE = `Usage: npm run bench -- [--json] [--quick | --long] [--only ROW]...
  --quick  every row in short, for a look
  --long   10 minutes instead of 2 for each open loop
Rows: ${ROWS.map(({ name }) => name).join(', ')}`;

async function measureRow(row: Row, context: BenchContext): Promise<Outcome[]> {
  context.say(row.name);
  const measured = await row.measure({ ...context, say: (text) => context.say(`${row.name}: ${text}`) });
  return row.goals.flatMap((goal, index) => {
    const value = measured[index];
    return value === undefined ? [] : [outcomeOf(row.name, goal, value)];
  });
}

/** Measures the rows; resolves with the exit code: 0 where all could be measured, whatever they came to. */
async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(
    args,
    ROWS.map(({ name }) => name),
  );
  if (options === undefined) {
    console.error(USAGE);
    return 64;
  }
  const { quick, long, only } = options;
  const say = (text: string): void => console.error(`[bench] ${text}`);
  const machine = machineFacts();
  const outcomes: Outcome[] = [];
  const failed: string[] = [];
  for (const row of ROWS.filter(({ name }) => only.length === 0 || only.includes(name))) {
    try {
      outcomes.push(...(await measureRow(row, { say, quick, long })));
    } catch (error) {
      failed.push(`${row.name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (options.json) console.log(JSON.stringify({ machine, quick, long, outcomes, failed }, null, 2));
  else console.log([...tableOf(outcomes), '', ...failed, JSON.stringify(machine)].join('\n'));
  return failed.length === 0 ? 0 : 1;
}

void main(process.argv.slice(2)).then((code) => process.exit(code));
