import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HourglassConfig } from '../../config';
import { HourglassError, tenantOf, type ExecutionRequest, type SavedFile } from '../../contract';
import { createDiskWorkspaceStore } from '../../workspace/disk-store';
import type { OpenedFile, Workspace } from '../../workspace/workspace';
import type { StagedInput } from './build-request';

/** The workspace of a request's tenant on this machine. */
export function openWorkspace({ workspace }: HourglassConfig, request: ExecutionRequest): Promise<Workspace> {
  return createDiskWorkspaceStore(workspace).open(tenantOf(request));
}

/** Puts inputs into the workspace, all or none. Rejects with HourglassError, or where a local file cannot be read. */
export async function stageInputs(workspace: Workspace, id: string, inputs: readonly StagedInput[]): Promise<void> {
  if (inputs.length === 0) return;
  const batch = await workspace.publish(`cli-${id}`).catch(nameVariable);
  try {
    for (const { workspacePath, content } of inputs) {
      const source =
        'text' in content ? Readable.from([Buffer.from(content.text)]) : createReadStream(content.localPath);
      await batch.add(workspacePath, source);
    }
    await batch.commit();
  } finally {
    await batch.abort();
  }
}

/** What ends up in histories names no folder of the host; what a person reads here says which setting to look at. */
function nameVariable(error: unknown): never {
  if (!(error instanceof HourglassError) || error.code !== 'WORKSPACE_ERROR') throw error;
  const message = `${error.message}; HOURGLASS_WORKSPACE_DIR says where it is`;
  throw new HourglassError(error.code, message, error.details, { cause: error });
}

/** Takes staged inputs out of the workspace again. */
export async function unstageInputs(workspace: Workspace, inputs: readonly StagedInput[]): Promise<void> {
  for (const { workspacePath } of inputs) await workspace.remove(workspacePath);
}

/** What became of copies: the local paths, and what ended the copying early. */
export interface Copies {
  readonly copied: readonly string[];
  readonly fault?: string;
}

/** Copies saved files into a local folder under their workspace paths. Never rejects; stops at the first fault. */
export async function copyOut(workspace: Workspace, files: readonly SavedFile[], folder: string): Promise<Copies> {
  const copied: string[] = [];
  for (const { workspacePath } of files) {
    const target = resolve(folder, workspacePath);
    try {
      await copyTo(target, await workspace.open(workspacePath));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      return { copied, fault: `cannot copy to ${target}: ${reason}` };
    }
    copied.push(target);
  }
  return { copied };
}

async function copyTo(target: string, opened: OpenedFile): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true });
    await pipeline(opened.stream(), createWriteStream(target));
  } finally {
    await opened.close();
  }
}
