import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setup } from '../../infra/setup/index.js';
import { runInImage } from './run-in-image';

/** One call of a session, or bytes for its control pipe. */
export interface Step {
  readonly code?: string;
  readonly inputs?: object;
  readonly stdin?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Fields of the job's spec that differ from what most calls have. */
  readonly spec?: object;
  /** How long to listen after the call for what is still running. */
  readonly waitMs?: number;
  readonly repeat?: number;
  /** Base64 of bytes that are no job. */
  readonly raw?: string;
}

/** What the holder of a session answered to each step, and its exit status when its control pipe had ended. */
export interface Session {
  readonly ready: string;
  readonly answers: readonly Answer[];
  readonly ended: number | null;
}

export type Answer = Readonly<Record<string, unknown>>;

const SILENT = {
  start: () => undefined,
  progress: () => undefined,
  done: () => undefined,
  failed: () => undefined,
  close: () => undefined,
};

/** Runs sessions in the Node of the sandbox's image, each with a holder of its own, one after the other. */
export async function runSessions(sessions: readonly (readonly Step[])[]): Promise<readonly Session[]> {
  const { engine, image } = await setup({ only: ['image'], reporter: SILENT });
  const driver = readFileSync(join(__dirname, 'javascript-session.py'), 'utf8');
  const scenario = Buffer.from(JSON.stringify(sessions)).toString('base64');
  const code = `SCENARIO = "${scenario}"\n${driver}`;
  const output = await runInImage(engine?.dockerHost ?? '', image ?? '', code, '10001:10001');
  try {
    return JSON.parse(output) as readonly Session[];
  } catch {
    throw new Error(`the driver of the sessions failed:\n${output}`);
  }
}
