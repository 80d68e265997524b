import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { HourglassSession } from '../../client';
import { SESSION_BOUNDS, type SessionStatus } from '../../contract';
import { escapeControls } from '../../telemetry/safe-text';
import { formatAge } from '../format-age';
import { formatBytes } from '../run/report';
import { table } from '../table';
import type { Channel } from '../terminal';
import type { CallRunner } from './call-runner';
import type { SessionDirectory } from './directory';
import { DOT_COMMANDS, type DotName } from './dot-command';
import { endOf } from './end-of';

/** What cannot be done for somebody at a prompt, such as for a local file that is not there; the prompt goes on. */
export class PromptError extends Error {
  override readonly name = 'PromptError';
}

/** What commands of the prompt work with. */
export interface DotParts {
  readonly session: HourglassSession;
  readonly directory: SessionDirectory;
  readonly out: Channel;
  /** Where the session stands, as far as programs of this prompt say. */
  readonly runner: Pick<CallRunner, 'lastCall' | 'wentBack'>;
}

/** What becomes of the prompt. */
export type AfterDot = 'stays' | 'left' | 'closed';

type Perform = (parts: DotParts, args: readonly string[]) => Promise<AfterDot>;

const PERFORM: Readonly<Record<DotName, Perform>> = {
  help: async ({ out }) => {
    const rows = Object.values(DOT_COMMANDS).map(({ usage, does }) => [usage, does]);
    for (const line of table(['command', 'what it does'].map(out.colors.dim), rows)) out.line(line);
    return 'stays';
  },
  status: async ({ directory, session, out }) => {
    const status = await directory.status(session.workflowId);
    if (status === undefined || status.phase === 'closed') out.line('not open: the first program opens it');
    else printStatus(status, out);
    return 'stays';
  },
  files: async ({ session, out }) => {
    const { files, truncated } = await session.files.list();
    if (files.length === 0) out.line('no files');
    for (const { path, size } of files) out.line(`${formatBytes(size).padStart(9)}  ${escapeControls(path)}`);
    if (truncated) out.line(out.colors.dim('there are more'));
    return 'stays';
  },
  upload: async ({ session, out }, [local = '', path = basename(local)]) => {
    const content = readLocal(local);
    await session.files.upload(path, content);
    out.line(`${escapeControls(path)}  ${formatBytes(content.length)}`);
    return 'stays';
  },
  download: async ({ session, out }, [path = '', local]) => {
    const content = await session.files.download(path);
    out.line(`${escapeControls(writeLocal(path, local, content))}  ${formatBytes(content.length)}`);
    return 'stays';
  },
  rollback: async ({ session, runner, out }, [asked]) => {
    const call = callOf(asked, runner.lastCall);
    await session.rollback(call);
    runner.wentBack(call);
    out.line(call === 0 ? 'as it was opened' : `as after program ${call}`);
    return 'stays';
  },
  exit: async () => 'left',
  close: async ({ session, out }) => {
    await session.close();
    out.line(`session ${session.sessionId} has ended`);
    return 'closed';
  },
};

/** Does what a command of the prompt asks for. Rejects with PromptError, or as `HourglassSession` does. */
export function performDot(name: DotName, args: readonly string[], parts: DotParts): Promise<AfterDot> {
  return PERFORM[name](parts, args);
}

function callOf(asked: string | undefined, last: number | undefined): number {
  if (asked === undefined) {
    if (last === undefined || last === 0) throw new PromptError('no program of this prompt can be taken back');
    return last - 1;
  }
  if (!/^\d{1,6}$/.test(asked)) throw new PromptError('name a program by its number');
  return Number(asked);
}

function printStatus(status: SessionStatus, out: Channel): void {
  const end = endOf(status);
  const rows: [string, string][] = [
    ['state', status.phase],
    ['language', status.language],
    ['calls', String(status.calls)],
    ['waiting', String(status.waiting)],
    ['host', status.hostId ?? '-'],
    ['sandbox', status.sandboxId ?? '-'],
    ['opened', status.openedAt],
    ['ends in', end === undefined ? '-' : formatAge(Math.max(0, end - Date.now()))],
    ...(status.recreated > 0 ? [['lost before', String(status.recreated)] as [string, string]] : []),
  ];
  for (const [label, value] of rows) out.line(`${out.colors.dim(label.padEnd(12))}${escapeControls(value)}`);
}

function readLocal(path: string): Buffer {
  return onDisk(path, () => {
    const { size } = statSync(path);
    if (size > SESSION_BOUNDS.fileBytes) {
      const most = formatBytes(SESSION_BOUNDS.fileBytes);
      throw new Error(`it has ${formatBytes(size)}, and a file that travels with a call may have ${most}`);
    }
    return readFileSync(path);
  });
}

/** Where a file was put. One that nobody has named is not written over another. */
function writeLocal(path: string, local: string | undefined, content: Buffer): string {
  const target = local === undefined ? basename(path) : intoFolder(local, basename(path));
  onDisk(target, () => writeFileSync(target, content, { flag: local === undefined ? 'wx' : 'w' }));
  return resolve(target);
}

function intoFolder(local: string, name: string): string {
  return statSync(local, { throwIfNoEntry: false })?.isDirectory() === true ? join(local, name) : local;
}

function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PromptError(`${path}: ${reason}`, { cause: error });
  }
}
