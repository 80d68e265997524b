import type { Readable } from 'node:stream';
import type { ExecutionMetadata } from '../contract';
import type { Attempt } from '../execution/host';
import type { ReleaseMemory } from '../execution/memory-gate';
import type { LeasedSandbox } from '../pool';
import type { ArrangeFault, GuestState, Program, ProgramOutcome, Tree, TreeFile } from '../runner';
import type { FileKeeper } from './file-keeper';
import type { SessionRecord } from './session-record';

/** Who wants a program to run. */
export interface Caller {
  /** The same for each attempt at one call, and for no other. */
  readonly callId: string;
  readonly attempt: Attempt;
}

/** Where programs come from. */
export interface ProgramSource {
  /** All that a program needs to start. */
  prepare(): Promise<Program>;
  /** Without that: an earlier owner of the session has started it. */
  resume(): Program;
}

/** A program of the session that has ended. */
export interface Ended {
  readonly outcome: ProgramOutcome;
  /** From 1. */
  readonly number: number;
  readonly startKind: ExecutionMetadata['startKind'];
}

/** What a sandbox is to hold. */
export interface ArrangedState {
  /** Whose variables; undefined: as they are. */
  readonly call?: number | undefined;
  readonly tree: Tree;
  readonly open: (file: TreeFile) => Promise<Readable>;
}

/** What came of arranging it. */
export interface Arranged {
  /** Nothing was changed: the variables are not kept, or so many processes run. */
  readonly refused?: { readonly background: number };
  /** The variables are those that were asked for, and the files not all. */
  readonly fault?: ArrangeFault;
}

/** What a session is made of. */
export interface LiveParts {
  readonly record: SessionRecord;
  readonly leased: LeasedSandbox;
  /** What the guest says where it was taken over from an earlier owner. */
  readonly state?: GuestState | undefined;
  /** Destroys the sandbox. Never rejects. */
  readonly release: () => Promise<void>;
  /** Lets go of the sandbox, which goes on. */
  readonly detach: () => void;
  readonly releaseMemory: ReleaseMemory;
  /** Keeps its files; undefined: nobody does. */
  readonly keeper?: FileKeeper | undefined;
}
