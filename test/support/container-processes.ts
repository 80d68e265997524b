import { askEngine } from './engine-api';

/** How many processes a running container has, as its engine counts them. */
export async function countProcesses(containerId: string): Promise<number> {
  const { Processes } = await askEngine<{ Processes: unknown[] }>(`/containers/${containerId}/top`);
  return Processes.length;
}
