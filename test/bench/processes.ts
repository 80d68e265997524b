import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a command to its end. Rejects where it cannot be started or does not end with 0. */
export async function runProcess(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-500)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said}`);
}
