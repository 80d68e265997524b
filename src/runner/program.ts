import type { Readable } from 'node:stream';
import type { JsonValue, Language, OutputRoot, ProgramError, SessionState } from '../contract';
import type { Note } from './note';

/** A file to place in the sandbox before the program starts. */
export interface StagedFile {
  /** Relative to /sandbox. */
  readonly sandboxPath: string;
  readonly size: number;
  /** Opened when its turn comes; yields exactly `size` bytes or fails. */
  open(): Promise<Readable>;
  /** Input that also holds the file's text. */
  readonly variableName?: string | undefined;
}

/** One program with all it needs. */
export interface Program {
  readonly executionId: string;
  readonly language: Language;
  readonly code: string;
  /** `inputData` as JSON text. */
  readonly inputJson: string;
  readonly stdin: string | undefined;
  readonly files: readonly StagedFile[];
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly diskMb: number;
  readonly maxOutputBytes: number;
  readonly saveFigures: boolean;
  /** What an earlier run of it has kept; undefined: nothing. */
  readonly checkpoint?: JsonValue | undefined;
  /** The call of a session that it is: numbers of later calls are larger; `keep`: how many earlier states stay. Undefined: it is alone in its sandbox. */
  readonly session?: { readonly call: number; readonly keep?: number } | undefined;
}

/** Live facts while a program runs. Callbacks must not throw and return at once. */
export interface RunEvents {
  onPhase?(phase: 'staging-in' | 'running' | 'ended'): void;
  /** START is about to be sent, when this resolves: from then on the program may have run. */
  onStart?(): Promise<void>;
  /** Live bytes: the beginning of each stream as it comes; `preview` replaces earlier previews once the beginning is full. */
  onOutput?(stream: 'stdout' | 'stderr', chunk: Buffer, kind: 'head' | 'preview'): void;
  onBytesIn?(bytes: number): void;
  onNote?(note: Note): void;
}

export interface SessionOutcome {
  readonly state: SessionState;
  /** Processes of the user's that still run. */
  readonly background: number;
}

/** How a program ended and what it said. */
export interface ProgramOutcome {
  /** As the program set it; 128 + signal where a signal ended it. */
  readonly exitCode: number;
  readonly signal: string | undefined;
  readonly error: ProgramError | undefined;
  /** JSON text of the result, validated (depth, well-formed, size); undefined when there is none. */
  readonly resultJson: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly executionTimeMs: number;
  readonly peakMemoryBytes: number | undefined;
  readonly cpuTimeMs: number | undefined;
  /** Names of figures, to be fetched from the root `figures`. */
  readonly figures: readonly string[];
  readonly warnings: readonly string[];
  /** False where the container itself died (out of memory in PID 1): nothing can be collected then. */
  readonly collectable: boolean;
  /** Where it was the call of a session whose guest said how it ended. */
  readonly session?: SessionOutcome | undefined;
}

export type CollectRoot = OutputRoot | 'figures';

/** One file the guest lists; a claim, not a fact. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/** Why something that lies in the sandbox is no file that can be sent; `name`: its path is not UTF-8. */
export const UNSENDABLE_KINDS = ['link', 'fifo', 'socket', 'device', 'name'] as const;

export type UnsendableKind = (typeof UNSENDABLE_KINDS)[number];

/** One entry the guest lists beside the files, so that a glob that means it can be answered. */
export interface ListedOther {
  readonly path: string;
  readonly kind: UnsendableKind;
}
