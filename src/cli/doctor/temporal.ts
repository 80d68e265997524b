import type { HourglassConfig } from '../../config';
import { failure, pass, warning, type Verdict } from '../../doctor/check';
import { connectTo } from '../temporal/probe';

const LOCAL = '127.0.0.1:7233';
const CALL_MS = 5_000;

/** Whether the server and the namespace can be used, and the server's version. */
export async function checkTemporal(settings: HourglassConfig['temporal']): Promise<Verdict> {
  const { address = LOCAL, namespace } = settings;
  try {
    return pass(`Temporal ${await versionOf(address, settings)} at ${address}, namespace "${namespace}"`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Commands start a server of their own where none is configured.
    if (settings.address === undefined)
      return warning(`no server at ${address} (${reason})`, 'set TEMPORAL_ADDRESS, or use "hourglass dev"');
    return failure(
      `namespace "${namespace}" at ${address} cannot be used: ${reason}`,
      'check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS, and whether the server runs',
    );
  }
}

async function versionOf(address: string, settings: HourglassConfig['temporal']): Promise<string> {
  const connection = await connectTo(address, settings);
  try {
    return await connection.withDeadline(Date.now() + CALL_MS, async () => {
      await connection.workflowService.describeNamespace({ namespace: settings.namespace });
      const { serverVersion } = await connection.workflowService.getSystemInfo({});
      return serverVersion || 'of unknown version';
    });
  } finally {
    await connection.close();
  }
}
