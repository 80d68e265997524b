import type { Connection } from '@temporalio/client';
import type { HourglassConfig } from '../../config/config';

const CONNECT_MS = 3_000;

export type TemporalSettings = Pick<HourglassConfig['temporal'], 'tls' | 'apiKey'>;

/** Connects to a server; the caller closes the connection. Rejects where nothing answers in a few seconds. */
export async function connectTo(address: string, { tls, apiKey }: Partial<TemporalSettings> = {}): Promise<Connection> {
  const client = await import('@temporalio/client');
  return client.Connection.connect({ address, tls, apiKey, connectTimeout: CONNECT_MS });
}

/** Whether a Temporal server with this namespace answers. */
export async function serves(address: string, namespace: string, settings?: TemporalSettings): Promise<boolean> {
  return (await refusal(address, namespace, settings)) === undefined;
}

/** Why a namespace cannot be used, or undefined where it can. */
export async function refusal(
  address: string,
  namespace: string,
  settings?: TemporalSettings,
): Promise<string | undefined> {
  let connection: Connection | undefined;
  try {
    const open = (connection = await connectTo(address, settings));
    await open.withDeadline(Date.now() + CONNECT_MS, () => open.workflowService.describeNamespace({ namespace }));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await connection?.close();
  }
}
