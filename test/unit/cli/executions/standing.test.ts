import { standingOf, type OpenWorkflow } from '../../../../src/cli/executions/standing';
import type { HeartbeatDetails, Phase } from '../../../../src/contract';

const BEAT: HeartbeatDetails = {
  ...{ v: 1, phase: 'running', executionId: 'e', hostId: 'h', queuedMs: 1, runningMs: 2 },
  ...{ stdoutBytes: 0, stderrBytes: 0, filesIn: 0, filesOut: 0, bytesIn: 0, bytesOut: 0 },
};

type Activity = NonNullable<OpenWorkflow['pendingActivities']>[number];

const details = (value: unknown): Activity['heartbeatDetails'] => ({
  payloads: [{ data: Buffer.from(JSON.stringify(value)) }],
});
const beating = (phase: Phase): Activity => ({ state: 2, attempt: 1, heartbeatDetails: details({ ...BEAT, phase }) });
const activity = (first: Activity): OpenWorkflow => ({ pendingActivities: [first] });

test.each<[string, OpenWorkflow, string, string]>([
  ['a workflow task that nobody took', { pendingWorkflowTask: {} }, 'waiting', 'for a worker'],
  ['a workflow task that a worker has', { pendingWorkflowTask: { startedTime: {} } }, 'running', 'starting'],
  ['neither a task nor an activity', { pendingActivities: [], pendingWorkflowTask: null }, 'running', 'starting'],
  ['an activity in the queue', activity({ state: 1, attempt: 1 }), 'waiting', 'for a worker'],
  ['an activity before its next attempt', activity({ state: 1, attempt: 3 }), 'waiting', 'for attempt 3'],
  ['an activity that is paused in the queue', activity({ state: 1, attempt: 2, paused: true }), 'waiting', 'paused'],
  ['an activity without a heartbeat yet', activity({ state: 2, attempt: 1 }), 'running', 'starting'],
  ['an activity that waits for memory', activity(beating('queued')), 'waiting', 'for memory'],
  ['an activity that runs its program', activity(beating('running')), 'running', 'running'],
  ['an activity that saves files', activity(beating('staging-out')), 'running', 'staging-out'],
  ['an activity that is cancelled', activity({ ...beating('running'), state: 3 }), 'running', 'cancelling'],
  ['an activity that is paused', activity({ ...beating('running'), state: 4 }), 'waiting', 'paused'],
  ['an activity that is being paused', activity({ ...beating('running'), state: 5 }), 'running', 'pausing'],
  ['a state that a later server has', activity({ state: 99 }), 'running', 'unknown'],
])('%s', (_title, workflow, state, detail) => {
  expect(standingOf(workflow)).toMatchObject({ state, detail });
});

test.each<[string, Activity['heartbeatDetails']]>([
  ['are no JSON', { payloads: [{ data: Buffer.from('{"v":1') }] }],
  ['have another shape', details({ v: 1, phase: 'dreaming' })],
  ['are empty', { payloads: [] }],
])('heartbeat details that %s count for nothing', (_title, heartbeatDetails) => {
  expect(standingOf(activity({ state: 2, heartbeatDetails }))).toMatchObject({
    state: 'running',
    detail: 'starting',
    heartbeat: undefined,
  });
});
