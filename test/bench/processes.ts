import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a command to its end. Rejects where it cannot be started or does not end with 0. */
export async function runProcess(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-500)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said}`);
}

const SELF: Readonly<Record<string, readonly string[]>> = {
  python3: ['-c', 'import sys; print(sys.executable)'],
  node: ['-p', 'process.execPath'],
  bash: ['-c', 'echo $BASH'],
};

/** The program itself: what is first on the PATH may be a script of a version manager, which costs more than it starts. */
export function interpreter(name: string): string {
  return execFileSync(name, SELF[name] ?? [], { encoding: 'utf8' }).trim();
}
