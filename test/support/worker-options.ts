import type { CreateWorkerOptions } from '../../src/worker';
import { workflowBundle } from './workflow-bundle';

/**
 * What the workers of tests have in common: their workflows are bundled already, and with HOURGLASS_TEST_UNCACHED every
 * workflow task replays its history.
 */
export async function workerOptions(): Promise<Pick<CreateWorkerOptions, 'workflowBundlePath' | 'maxCachedWorkflows'>> {
  const cache = process.env['HOURGLASS_TEST_UNCACHED'] ? { maxCachedWorkflows: 0 } : {};
  return { workflowBundlePath: await workflowBundle(), ...cache };
}
