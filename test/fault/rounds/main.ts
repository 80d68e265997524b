import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Connection } from '@temporalio/client';
import { loadConfig } from '../../../src/config';
import { createContainerEngine } from '../../../src/engine/container';
import { SILENT } from '../../../src/telemetry/log';
import { startFuzz, type Fuzz } from '../../support/random';
import { RestartableServer } from '../../support/restartable-server';
import { StartObserver } from '../../support/start-observer';
import { Executions } from './executions';
import { FAULT_NAMES, FAULTS, type FaultName, type World } from './faults';
import { unexplainedLosses } from './ledger';
import { leftOvers } from './left-overs';
import { describeTally } from './report';
import { Sessions } from './sessions';
import { Host } from './world';

/** Programs at the same time. */
const LANES = 6;
/** Sessions at the same time. */
const SESSION_LANES = 2;
const PAUSE_MS = 3_000;

/* eslint-disable no-console -- a command line of its own */

async function rounds(world: World, count: number, only: readonly FaultName[]): Promise<Map<string, number>> {
  const done = new Map<string, number>();
  for (let round = 1; round <= count; round += 1) {
    await delay(world.fuzz.random(PAUSE_MS));
    const name = world.fuzz.pick(only);
    console.log(`round ${round} of ${count}: ${name} (${world.executions.accounts.length} executions have ended)`);
    await FAULTS[name](world);
    done.set(name, (done.get(name) ?? 0) + 1);
  }
  return done;
}

/** Runs one program after the other in each lane until it is told to stop, and those that run to their end. */
function keepRunning(executions: Executions, sessions: Sessions): () => Promise<void> {
  let isOver = false;
  const lane = async (one: Pick<Sessions, 'runOne'>): Promise<void> => {
    while (!isOver) await one.runOne();
  };
  const of = (count: number, one: Pick<Sessions, 'runOne'>): Promise<void>[] =>
    Array.from({ length: count }, () => lane(one));
  const lanes = Promise.all([...of(LANES, executions), ...of(SESSION_LANES, sessions)]);
  return async () => {
    isOver = true;
    await lanes;
  };
}

/** All that there is, and how it ends: with what is wrong at the end. */
async function openWorld(fuzz: Fuzz): Promise<{ world: World; close: () => Promise<string[]> }> {
  const dir = mkdtempSync(join(tmpdir(), 'hourglass-rounds-'));
  const server = await RestartableServer.start(dir);
  const workspace = join(dir, 'workspace');
  const shared = { HOURGLASS_WORKSPACE_DIR: workspace, HOURGLASS_TASK_QUEUE: 'rounds' };
  const hosts = ['one', 'other'].map((name) => new Host(server.address, shared, join(dir, name)));
  await Promise.all(hosts.map((host) => host.start()));
  const engine = createContainerEngine(loadConfig({ env: process.env }), SILENT);
  const observer = new StartObserver();
  const connection = await Connection.connect({ address: server.address });
  const files = join(workspace, 'default', 'default', 'files');
  const executions = await Executions.open({ connection, taskQueue: 'rounds', files, fuzz, observer, engine });
  const close = async (): Promise<string[]> => {
    const wrong = [...(await leftOvers(hosts, engine)), ...(await endWorkers(hosts))];
    observer.stop();
    await connection.close();
    await engine.close();
    await server.stop('SIGTERM');
    for (const { place } of hosts) place.remove();
    rmSync(dir, { recursive: true });
    return wrong;
  };
  return { world: { fuzz, hosts, server, executions, observer }, close };
}

async function endWorkers(hosts: readonly Host[]): Promise<string[]> {
  for (const host of hosts) host.signal('SIGTERM');
  const ends = await Promise.all(hosts.map((host) => host.end()));
  return ends.flatMap((end) => (end?.code === 0 ? [] : [`worker ended with ${JSON.stringify(end)}`]));
}

async function main(): Promise<void> {
  const options = { rounds: { type: 'string', default: '100' }, only: { type: 'string', multiple: true } } as const;
  const { values } = parseArgs({ options });
  const { world, close } = await openWorld(startFuzz('fault rounds'));
  const { hourglass } = world.executions;
  const accuse = (fault: string): void => world.executions.accuse(fault);
  const sessions = new Sessions({ hourglass, fuzz: world.fuzz, observer: world.observer, accuse });
  const finish = keepRunning(world.executions, sessions);
  const done = await rounds(world, Number(values.rounds), (values.only ?? FAULT_NAMES) as FaultName[]);
  await finish();
  const { executions } = world;
  const losses = unexplainedLosses(executions.accounts, executions);
  const faults = [...executions.faults, ...losses, ...(await close())];
  console.log(describeTally({ executions, sessions: sessions.counts, done, faults }));
  process.exit(faults.length === 0 ? 0 : 1);
}

void main();
