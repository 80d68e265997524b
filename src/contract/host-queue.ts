/** The task queue of one host beside the common one: what only that host can do waits there. */
export function hostQueue(taskQueue: string, hostId: string): string {
  return `${taskQueue}@${hostId}`;
}
