import { askEngine } from './engine-api';

/** How many processes a running container has, as its engine counts them. */
export async function countProcesses(containerId: string): Promise<number> {
  const { Processes } = await askEngine<{ Processes: unknown[] }>(`/containers/${containerId}/top`);
  return Processes.length;
}

/** Process ids on this machine of all processes of a running container but its first. */
export async function processesBesideFirst(containerId: string): Promise<number[]> {
  const { Titles, Processes } = await askEngine<{ Titles: string[]; Processes: string[][] }>(
    `/containers/${containerId}/top?ps_args=-eo%20pid,ppid`,
  );
  const column = (name: string): number => Titles.indexOf(name);
  const all = Processes.map((row) => ({ pid: Number(row[column('PID')]), parent: Number(row[column('PPID')]) }));
  return all.filter(({ parent }) => all.some(({ pid }) => pid === parent)).map(({ pid }) => pid);
}
