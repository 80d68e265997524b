interface Dot {
  readonly usage: string;
  readonly does: string;
  /** How many arguments it takes. */
  readonly takes: readonly [least: number, most: number];
}

/** Commands of the prompt itself: how they are called, and what they do. */
export const DOT_COMMANDS = {
  help: { usage: '.help', takes: [0, 0], does: 'this list' },
  status: { usage: '.status', takes: [0, 0], does: 'where the session stands, and when it ends' },
  files: { usage: '.files', takes: [0, 0], does: 'files of the session' },
  upload: { usage: '.upload LOCAL [PATH]', takes: [1, 2], does: 'put a local file into the session, at most 1 MiB' },
  download: { usage: '.download PATH [LOCAL]', takes: [1, 2], does: 'get a file of the session, at most 1 MiB' },
  rollback: {
    usage: '.rollback [CALL]',
    takes: [0, 1],
    does: 'back to the state after that program; default: before the last',
  },
  exit: { usage: '.exit', takes: [0, 0], does: 'leave (as Ctrl-D); the session goes on' },
  close: { usage: '.close', takes: [0, 0], does: 'end the session and leave' },
} as const satisfies Record<string, Dot>;

export type DotName = keyof typeof DOT_COMMANDS;

/** What a line asks of the prompt, where it is no program. */
export type DotCommand =
  | { readonly kind: 'command'; readonly name: DotName; readonly args: readonly string[] }
  | { readonly kind: 'mistake'; readonly message: string };

const COMMAND = /^\.([a-z]+)(?:\s+(.*))?$/;
const ARGUMENT = /"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/g;

/** Reads a line as a command of the prompt; undefined for one that is a program, such as `. file` or `./run.sh` of shell. */
export function parseDotCommand(line: string): DotCommand | undefined {
  const [, name, rest = ''] = COMMAND.exec(line.trim()) ?? [];
  if (name === undefined) return undefined;
  if (!isDotName(name)) return { kind: 'mistake', message: `there is no command .${name}; .help lists them` };
  const args = splitArguments(rest);
  const { usage, takes } = DOT_COMMANDS[name];
  const [least, most] = takes;
  if (args.length >= least && args.length <= most) return { kind: 'command', name, args };
  return { kind: 'mistake', message: `use it like ${usage}` };
}

function isDotName(name: string): name is DotName {
  return Object.hasOwn(DOT_COMMANDS, name);
}

/** Words of a line; quotes keep spaces within one. */
function splitArguments(text: string): string[] {
  return [...text.matchAll(ARGUMENT)].map(
    ([, double, single, plain]) => double?.replace(/\\(.)/g, '$1') ?? single ?? plain ?? '',
  );
}
