import type { Row } from '../row';
import { CANCEL } from './cancel';
import { COLD_RUN } from './cold-run';
import { DEMO_START } from './demo-start';
import { FLOOD_ROW } from './flood';
import { OPEN_LOOPS } from './open-loop';
import { SESSION_CALLS, SESSION_UPDATE } from './session';
import { SUSTAINED } from './sustained';
import { TENANT_REUSE } from './tenant-reuse';
import { TIMEOUT_OVERSHOOT } from './timeout';
import { TRANSFER } from './transfer';
import { WARM_PANDAS } from './warm-pandas';
import { WARM_RUNS } from './warm-run';
import { WORKFLOW_EMPTY, WORKFLOW_FILES } from './workflow';

/** Every row, in the order of the table. */
export const ROWS: readonly Row[] = [
  ...WARM_RUNS,
  WARM_PANDAS,
  COLD_RUN,
  WORKFLOW_EMPTY,
  WORKFLOW_FILES,
  ...SESSION_CALLS,
  SESSION_UPDATE,
  SUSTAINED,
  TENANT_REUSE,
  TRANSFER,
  TIMEOUT_OVERSHOOT,
  CANCEL,
  DEMO_START,
  FLOOD_ROW,
  ...OPEN_LOOPS,
];
