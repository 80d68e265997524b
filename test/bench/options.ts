const FLAGS: readonly string[] = ['--json', '--quick', '--long'];

/** What the benchmark is asked for. */
export interface Options {
  readonly json: boolean;
  readonly quick: boolean;
  readonly long: boolean;
  /** Names of rows, as often as they were given; none: every row. */
  readonly only: readonly string[];
}

/** Undefined where the arguments are not as they should be, or name a row that there is not. */
export function readOptions(args: readonly string[], names: readonly string[]): Options | undefined {
  const only: string[] = [];
  const flags = new Set<string>();
  for (const queue = [...args]; queue.length > 0;) {
    const arg = queue.shift() as string;
    if (arg === '--only') only.push(queue.shift() ?? '');
    else if (FLAGS.includes(arg)) flags.add(arg);
    else return undefined;
  }
  const asked = { json: flags.has('--json'), quick: flags.has('--quick'), long: flags.has('--long'), only };
  if (only.some((name) => !names.includes(name)) || (asked.quick && asked.long)) return undefined;
  return asked;
}
