import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import type { HourglassSession } from '../../src/client';
import type { SessionOptions } from '../../src/contract';
import { DurableSetup } from './durable';
import { eventually } from './eventually';
import type { History } from './histories';
import type { Settings } from './test-worker';
import { startWorkerProcess } from './worker-child';

/** A session and what happens to it, from its first call to its end; its history is named after it. */
interface SessionWay {
  readonly options?: Partial<SessionOptions>;
  readonly happens: (session: HourglassSession, setup: DurableSetup) => Promise<unknown>;
  /** A run goes over into the next one after a few updates. */
  readonly isMoved?: boolean;
  /** The session is held by a host that goes away. */
  readonly losesHost?: boolean;
}

const handleOf = ({ workflowId }: HourglassSession, { client }: DurableSetup): WorkflowHandle =>
  client.workflow.getHandle(workflowId);

/** Resolves when the session has ended by itself. */
const ended = (session: HourglassSession, setup: DurableSetup): Promise<unknown> =>
  handleOf(session, setup)
    .result()
    .catch(() => undefined);

/** What a call came to does not matter here. */
const tried = (call: Promise<unknown>): Promise<unknown> => call.catch(() => undefined);

/** Begins a call that does not end by itself, and resolves when it runs. */
async function begun(session: HourglassSession, signal?: AbortSignal): Promise<Promise<unknown>[]> {
  const call = tried(session.run('import time\ntime.sleep(200)', { signal }));
  await eventually(
    () => session.status(),
    ({ phase }) => phase === 'busy',
  );
  return [call];
}

async function interruptedCall(session: HourglassSession): Promise<void> {
  const controller = new AbortController();
  await session.run('x = 1');
  const calls = await begun(session, controller.signal);
  controller.abort();
  await Promise.all(calls);
}

async function lostSandbox(session: HourglassSession, { place }: DurableSetup): Promise<void> {
  const { metadata } = await session.run('x = 1');
  await place.removeContainer(metadata.sandboxId);
  await tried(session.run('result = x'));
}

async function movedRun(session: HourglassSession, setup: DurableSetup): Promise<void> {
  await session.run('x = 1');
  await session.files.upload('f', 'one');
  const { runId } = await handleOf(session, setup).describe();
  await eventually(
    () => session.renew().then(() => handleOf(session, setup).describe()),
    (described) => described.runId !== runId,
  );
  await session.run('result = x');
}

/** One way for each end of a session, and for each kind of what may happen before. */
const WAYS: Readonly<Record<string, SessionWay>> = {
  closed: {
    happens: async (session) => {
      await Promise.all(['x = 1', 'x += 1', 'result = x'].map((code) => session.run(code)));
      await session.renew(3_600_000);
      await session.close();
    },
  },
  files: {
    happens: async (session) => {
      await session.files.upload('in/a.txt', 'one');
      await session.run('open("b.txt", "w").write("two")');
      await session.files.list();
      await session.files.download('b.txt');
      await tried(session.files.download('none'));
      await session.close();
    },
  },
  errors: {
    happens: async (session) => {
      for (const code of ['1 / 0', 'exit(3)', 'if if']) await session.run(code);
      await session.run({ code: 'while True: pass', timeout: 1_000 });
      await tried(session.run({ code: '1', resourceLimits: { memoryMb: 1_000 } }));
      await session.close();
    },
  },
  interrupted: { happens: (session) => interruptedCall(session).then(() => session.close()) },
  idle: {
    options: { idleTtlMs: 2_000 },
    happens: (session, setup) => session.run('1').then(() => ended(session, setup)),
  },
  expired: {
    options: { ttlMs: 8_000 },
    happens: (session, setup) => session.run('1').then(() => ended(session, setup)),
  },
  cancelled: {
    happens: async (session, setup) => {
      await session.run('x = 1');
      const calls = await begun(session);
      await handleOf(session, setup).cancel();
      await Promise.all([...calls, ended(session, setup)]);
    },
  },
  refused: { options: { resourceLimits: { memoryMb: 900_000 } }, happens: (session) => tried(session.run('1')) },
  lost: { happens: lostSandbox },
  'lost-recreated': {
    options: { onLost: 'recreate' },
    happens: async (session, setup) => {
      await lostSandbox(session, setup);
      await session.run('result = 2');
      await session.close();
    },
  },
  'host-lost': { losesHost: true, happens: (session) => tried(session.run('result = x')) },
  moved: { isMoved: true, happens: (session, setup) => movedRun(session, setup).then(() => session.close()) },
};

/** Lets the session begin on a host of its own, which dies and stays away. */
async function loseHost(session: HourglassSession, { place }: DurableSetup): Promise<void> {
  const settings: Settings = { ...place.settings, HOURGLASS_STATE_DIR: join(place.dir, 'other-state') };
  const there = await startWorkerProcess(settings);
  await session.run('x = 1');
  there.kill('SIGKILL');
  await there.end();
}

/** The histories of a session's runs, the first one first. */
async function historiesOf(session: HourglassSession, setup: DurableSetup): Promise<History[]> {
  const histories: History[] = [];
  let runId: string | undefined;
  do {
    const history = await setup.client.workflow.getHandle(session.workflowId, runId).fetchHistory();
    histories.unshift(history);
    runId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  } while (runId);
  return histories;
}

async function historiesOfWay({ options, happens, isMoved, losesHost }: SessionWay): Promise<History[]> {
  const setup = await DurableSetup.open({}, isMoved ? ['limit.historyCount.suggestContinueAsNew=40'] : []);
  const session = setup.hourglass.session({ sessionId: 'recorded', language: 'python', ...options });
  if (losesHost) await loseHost(session, setup);
  const worker = await setup.worker();
  await happens(session, setup);
  await ended(session, setup);
  const histories = await historiesOf(session, setup);
  await worker.stop();
  await setup.close();
  return histories;
}

/** Hands out the histories of sessions under their names, one for each run; `isThere` spares those of a way. */
export async function recordSessions(
  isThere: (name: string) => boolean,
  keep: (name: string, history: History) => void,
): Promise<void> {
  for (const [name, way] of Object.entries(WAYS)) {
    if (isThere(name)) continue;
    const histories = await historiesOfWay(way);
    histories.forEach((history, n) => keep(n === 0 ? name : `${name}-${n + 1}`, history));
  }
}
