import type { HourglassConfig } from '../config/config';
import type { Terminal } from './terminal';

/** Options that every command has. */
export interface GlobalOptions {
  /** Machine-readable output on stdout. */
  readonly json?: boolean;
  /** Configuration file. */
  readonly config?: string;
}

/** What a command works with. */
export interface CommandContext<Options extends GlobalOptions = GlobalOptions> {
  readonly terminal: Terminal;
  readonly options: Options;
  /** The configuration; rejects with ConfigError. */
  readonly loadConfig: () => Promise<HourglassConfig>;
}

/** Does the job and resolves with the exit code. */
export type CommandAction<Options extends GlobalOptions = GlobalOptions> = (
  context: CommandContext<Options>,
  ...args: (string | undefined)[]
) => Promise<number>;
