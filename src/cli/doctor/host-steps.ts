import type { HourglassConfig } from '../../config';
import { failure, pass, warning, type Verdict } from '../../doctor/check';
import { FLOORS, reaches } from '../../doctor/floors';
import { checkPlace } from '../../doctor/place-check';
import type { Step } from './examination';
import { checkTemporal } from './temporal';

/** Leases and a few logs. */
const STATE_BYTES = 64 * 2 ** 20;

/** Everything that is not the engine, as steps. */
export function hostSteps({ workspace, stateDir, temporal }: HourglassConfig): Step[] {
  const state = { dir: stateDir, variable: 'HOURGLASS_STATE_DIR', wantedBytes: STATE_BYTES };
  // Less than one file of the largest size: a run that is allowed could fail.
  const files = { dir: workspace.dir, variable: 'HOURGLASS_WORKSPACE_DIR', wantedBytes: workspace.maxFileBytes };
  return [
    { ...step('node'), run: async () => [checkNode(process.versions.node)] },
    { ...step('workspace'), run: async () => [await checkPlace(files)] },
    { ...step('state'), run: async () => [await checkPlace(state)] },
    { ...step('temporal'), run: async () => [await checkTemporal(temporal)] },
  ];
}

function step(name: string): Pick<Step, 'names' | 'needs' | 'remedy'> {
  return { names: [name], needs: [], remedy: 'run it again; if it stays, report it as a defect' };
}

/** The version of Node.js that workers run on. */
export function checkNode(version: string): Verdict {
  if (reaches(version, FLOORS.node) !== false) return pass(`Node.js ${version}`);
  const tooOld = reaches(version, ['20.3.0']) === false;
  const remedy = `upgrade to ${FLOORS.node.join(', ')} or newer`;
  return (tooOld ? failure : warning)(`Node.js ${version} lacks security fixes`, remedy);
}
