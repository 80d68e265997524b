import { readdirSync, readFileSync } from 'node:fs';
import { readEngine } from './engine-api';

/** The id of a container that may be gone, as the engine remembers it: only its latest few hundred events. */
export async function idOfContainer(name: string, since: Date): Promise<string> {
  const filters = encodeURIComponent(JSON.stringify({ type: ['container'], event: ['create'], container: [name] }));
  const [from, until] = [since.getTime() / 1_000, Date.now() / 1_000];
  const [event] = (await readEngine(`/events?since=${from}&until=${until}&filters=${filters}`)).split('\n');
  return (JSON.parse(event ?? '') as { Actor: { ID: string } }).Actor.ID;
}

/** Processes of this machine that belong to a container: by cgroup its own, by their arguments the engine's that serve it. */
export function processesOf(containerId: string): string[] {
  return processIds().filter((pid) => ['cgroup', 'cmdline'].some((name) => factOf(pid, name).includes(containerId)));
}

/** Processes of this machine in whose network namespace a socket has this name: sockets of others cannot be seen. */
export function networksWithSocket(name: string): string[] {
  return processIds().filter((pid) => factOf(pid, 'net/unix').includes(name));
}

function processIds(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** Empty where the process is gone meanwhile. */
function factOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
