import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Connection, WorkflowNotFoundError } from '@temporalio/client';
import {
  createHourglassClient,
  ExecutionCancelled,
  ExecutionNotFound,
  type HourglassClient,
} from '../../../src/client';
import { HourglassError } from '../../../src/contract';
import type { ContainerEngine } from '../../../src/engine/container/container-engine';
import type { Fuzz } from '../../support/random';
import { faultsOf, type Account, type Outcome } from './ledger';
import { outputPath, someRequest } from './programs';
import type { StartObserver } from '../../support/start-observer';

const AGAIN_MS = 200;

export interface ExecutionsOptions {
  readonly connection: Connection;
  readonly taskQueue: string;
  /** Folder of the default tenant's files. */
  readonly files: string;
  readonly fuzz: Fuzz;
  readonly observer: StartObserver;
  /** Past the proxies. */
  readonly engine: Pick<ContainerEngine, 'listContainers' | 'removeContainer'>;
}

/** Executions that are started one after the other, and what became of each. */
export class Executions {
  readonly accounts: Account[] = [];
  readonly faults: string[] = [];
  readonly ended = new Set<string>();
  readonly killed = new Set<string>();
  accepted = 0;
  readonly #open = new Set<string>();
  readonly #client: Client;
  #names = 0;

  private constructor(
    private readonly options: ExecutionsOptions,
    readonly hourglass: HourglassClient,
  ) {
    this.#client = new Client({ connection: options.connection });
  }

  static async open(options: ExecutionsOptions): Promise<Executions> {
    const { connection, taskQueue } = options;
    return new Executions(options, await createHourglassClient({ connection, taskQueue }));
  }

  /** Runs one program to its end and accounts for it. Never rejects. */
  async runOne(): Promise<void> {
    const name = `e${(this.#names += 1)}`;
    const request = someRequest(name, this.options.fuzz);
    await this.#accepted(name, () => this.hourglass.start(request, { workflowId: name }));
    this.#open.add(name);
    this.accepted += 1;
    const outcome = await this.#outcome(name);
    this.#open.delete(name);
    const output = await readFile(join(this.options.files, outputPath(name)), 'utf8').catch(() => undefined);
    const starts = this.options.observer.of(name);
    const account = { name, idempotent: request.idempotent === true, outcome, starts, output };
    this.accounts.push(account);
    for (const fault of faultsOf(account, this)) this.accuse(`${name}: ${fault}`);
  }

  /** Ends one of the open executions. */
  async endOne(how: 'cancel' | 'terminate'): Promise<void> {
    const name = this.#someOpen();
    if (name === undefined) return;
    this.ended.add(name);
    const handle = this.#client.workflow.getHandle(name);
    const asked: Promise<unknown> = how === 'cancel' ? handle.cancel() : handle.terminate();
    await asked.catch((error: unknown) => {
      // It may have ended meanwhile.
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    });
  }

  /** Pauses what runs of one of the open executions; the result lets it go on. */
  async pauseOne(): Promise<() => Promise<void>> {
    const activity = this.#someActivity();
    if (activity === undefined) return () => Promise.resolve();
    const { workflowService } = this.options.connection;
    await workflowService.pauseActivity({ ...activity, reason: 'a round' }).catch(unlessOver);
    return async () => {
      await workflowService.unpauseActivity(activity).catch(unlessOver);
    };
  }

  /** Resets what runs of one of the open executions. */
  async resetOne(): Promise<void> {
    const activity = this.#someActivity();
    if (activity !== undefined) await this.options.connection.workflowService.resetActivity(activity).catch(unlessOver);
  }

  /** Removes one of the containers that run, whatever it does. */
  async killSandbox(): Promise<void> {
    const { engine, fuzz } = this.options;
    const listed = await engine.listContainers();
    const running = listed.filter(({ isRunning, origin }) => isRunning && origin !== undefined);
    if (running.length === 0) return;
    const { id, name } = fuzz.pick(running);
    this.killed.add(name);
    await engine.removeContainer(id);
  }

  /** A server that does not answer may have accepted nevertheless. */
  async #accepted(name: string, start: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await start();
        return;
      } catch (error) {
        if (error instanceof HourglassError) throw error;
      }
      for (;;) {
        await delay(AGAIN_MS);
        const known = await this.#isKnown(name).catch(() => undefined);
        if (known === true) return;
        if (known === false) break;
      }
    }
  }

  async #isKnown(name: string): Promise<boolean> {
    try {
      await this.#client.workflow.getHandle(name).describe();
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  async #outcome(name: string): Promise<Outcome> {
    for (;;) {
      try {
        return await this.hourglass.result(name);
      } catch (error) {
        if (isFinal(error)) return error;
      }
      await delay(AGAIN_MS);
    }
  }

  #someOpen(): string | undefined {
    const open = [...this.#open];
    return open.length === 0 ? undefined : this.options.fuzz.pick(open);
  }

  #someActivity() {
    const workflowId = this.#someOpen();
    if (workflowId === undefined) return undefined;
    return { namespace: 'default', execution: { workflowId }, identity: 'rounds', type: 'executeCode' };
  }

  /** Notes a promise that did not hold. */
  accuse(fault: string): void {
    this.faults.push(fault);
    process.stdout.write(`FAULT ${fault}\n`);
  }
}

/** Of gRPC: the execution has ended meanwhile, or waits for no activity. */
const OVER: readonly unknown[] = [3, 5, 9];

function unlessOver(error: unknown): void {
  if (!OVER.includes((error as { code?: unknown }).code)) throw error;
}

/** What the server itself says; anything else is a server that does not answer. */
function isFinal(error: unknown): error is Error {
  return error instanceof HourglassError || error instanceof ExecutionCancelled || error instanceof ExecutionNotFound;
}
