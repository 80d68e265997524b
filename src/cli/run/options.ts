import type { JsonValue, Language } from '../../contract';
import type { GlobalOptions } from '../command';

/** Options of `hourglass run` as commander parsed them. */
export interface RunOptions extends GlobalOptions {
  readonly language?: Language;
  readonly input?: Readonly<Record<string, JsonValue>>;
  readonly inputs?: string;
  /** Local files, as `path` or `path:sandboxPath`. */
  readonly in?: readonly string[];
  /** Paths and globs in the sandbox. */
  readonly out?: readonly string[];
  readonly outDir?: string;
  /** A file, or `-`. */
  readonly stdin?: string;
  readonly stdinText?: string;
  /** In ms. */
  readonly timeout?: number;
  /** In MB. */
  readonly memory?: number;
  readonly disk?: number;
  readonly cpus?: number;
  readonly pids?: number;
  /** In bytes. */
  readonly maxOutput?: number;
  readonly label?: string;
  readonly workspaceId?: string;
  readonly userId?: string;
  /** False with `--no-figures`. */
  readonly figures: boolean;
  readonly request?: string;
  readonly verbose?: boolean;
}
