import { randomUUID } from 'node:crypto';
import { sessionWorkflowId, tenantOf, type Language, type SessionKey } from '../../src/contract';
import type { Attempt } from '../../src/execution/host';
import { ExecutionProgress } from '../../src/execution/progress';
import { callSession, closeSession } from '../../src/sessions/call-session';
import { openSession } from '../../src/sessions/open-session';
import type { TestHost } from '../support/host';

const V = 1;

/** An open session on the path of the activities, without a workflow. */
export class BenchSession {
  #calls = 0;

  private constructor(
    private readonly test: TestHost,
    private readonly language: Language,
    private readonly key: SessionKey,
    private readonly sandboxId: string,
  ) {}

  static async open(test: TestHost, language: Language): Promise<BenchSession> {
    const sessionId = `bench-${randomUUID()}`;
    const key = { ...tenantOf({}), sessionId, firstRunId: randomUUID(), generation: 0 };
    const input = { v: V, key, options: { sessionId, language } };
    const { sandboxId } = await openSession(input, test.host, attemptAt(test, key));
    return new BenchSession(test, language, key, sandboxId);
  }

  /** Runs one program that has to end well. */
  async call(code: string): Promise<void> {
    const { key, sandboxId, language } = this;
    const callId = `call-${(this.#calls += 1)}`;
    const request = { language, code, executionId: `${key.sessionId}-${callId}` };
    const input = { v: V, key, sandboxId, callId, task: { kind: 'execute', request } };
    const outcome = await callSession(input, this.test.host, attemptAt(this.test, key));
    if (outcome.kind !== 'execute' || !outcome.result.success) throw new Error('a call of the benchmark failed');
  }

  close(): Promise<void> {
    const { key, sandboxId, test } = this;
    return closeSession({ v: V, key, sandboxId }, test.host, attemptAt(test, key));
  }
}

function attemptAt({ host }: TestHost, key: SessionKey): Attempt {
  const workflow = { workflowId: sessionWorkflowId(key, key.sessionId), runId: key.firstRunId };
  const progress = new ExecutionProgress(host.owner.hostId, key.sessionId, 0);
  const { signal } = new AbortController();
  const turn = host.attempts.nextTurn();
  return { signal, progress, origin: key.firstRunId, workflow, number: 1, turn, log: host.log };
}
