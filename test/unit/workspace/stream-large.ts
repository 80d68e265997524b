import { Readable } from 'node:stream';
import { createDiskWorkspaceStore } from '../../../src/workspace/disk-store';
import { TENANT } from './fixture';

const CHUNK = 64 * 1024;

async function* noise(bytes: number): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < bytes; sent += CHUNK) yield Buffer.alloc(Math.min(CHUNK, bytes - sent), sent / CHUNK);
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** Streams a file into a workspace and out again; prints bytes read and growth of the peak memory as JSON. */
async function main(dir: string, bytes: number): Promise<void> {
  const store = createDiskWorkspaceStore({ dir, quotaBytes: 1e12, maxFileBytes: 1e12 });
  const workspace = await store.open(TENANT);
  const before = peakBytes();
  const started = performance.now();
  const batch = await workspace.publish('batch-1');
  await batch.add('large.bin', Readable.from(noise(bytes), { objectMode: false }));
  await batch.commit();
  const stored = performance.now();
  let read = 0;
  for await (const chunk of (await workspace.open('large.bin')).stream() as AsyncIterable<Buffer>) read += chunk.length;
  const inMs = stored - started;
  const outMs = performance.now() - stored;
  process.stdout.write(`${JSON.stringify({ read, growth: peakBytes() - before, inMs, outMs })}\n`);
}

void main(process.argv[2] ?? '', Number(process.argv[3]));
