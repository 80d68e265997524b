import { Readable } from 'node:stream';
import { loadConfig, type HourglassConfig } from '../config';
import type { ExecutionResult } from '../contract';
import { createDiskWorkspaceStore } from '../workspace/disk-store';
import type { Workspace } from '../workspace/workspace';
import { Cleanup } from './cleanup';
import { expectedOf, makeSales, toCsv, type Expected } from './demo/sales';
import { startDemoStack, type DemoStack } from './demo/stack';
import { DEMO_TENANT, faultsOf, requestOf, STAGES, type Step } from './demo/steps';
import { describeFailure } from './errors';
import { EXIT } from './exit-codes';
import { listenForInterrupts } from './interrupt';
import { neutralise } from './output-filter';
import { formatBytes, formatMs } from './run/report';
import { table } from './table';
import { processTerminal, type Channel } from './terminal';

/** One program of the demo after it ran. */
interface Finished {
  readonly step: Step;
  readonly result: ExecutionResult;
  readonly url: string;
  readonly faults: readonly string[];
}

/** Shows the main job end to end; resolves with the exit code: 0, or 1 when anything is not as it should be. */
async function demo(args: readonly string[], out: Channel): Promise<number> {
  const startedAt = Date.now();
  const stays = process.stdout.isTTY && !args.includes('--exit');
  const cleanup = new Cleanup();
  const interrupts = listenForInterrupts(() => out.line('\nStopping what the demo started.'));
  const { signal, interrupted } = interrupts;
  cleanup.add(() => interrupts.release());
  try {
    const config = loadConfig();
    const stack = await startDemoStack(config, cleanup, { signal, say: (text) => out.line(text) });
    const workspace = await openWorkspace(config);
    const finished = await Promise.race([runStages(stack, workspace, out), stack.failed, interrupted]);
    if (!Array.isArray(finished)) throw finished;
    printOutcome(finished, workspace, out);
    out.line(`\nDone in ${formatMs(Date.now() - startedAt)}.`);
    if (finished.some(({ faults }) => faults.length > 0)) return EXIT.FAILED;
    if (stays) {
      out.line(`The Temporal UI is at ${stack.server.uiUrl ?? stack.server.address}; Ctrl-C ends the demo.`);
      await Promise.race([interrupted, stack.failed]);
    }
    return EXIT.OK;
  } finally {
    await cleanup.run();
  }
}

function openWorkspace({ workspace }: HourglassConfig): Promise<Workspace> {
  return createDiskWorkspaceStore(workspace).open(DEMO_TENANT);
}

async function runStages(stack: DemoStack, workspace: Workspace, out: Channel): Promise<Finished[]> {
  const sales = makeSales();
  const expected = expectedOf(sales);
  await writeSales(workspace, toCsv(sales));
  out.line(`Data      ${sales.length} rows of sales in ${workspace.locate('sales.csv') ?? 'sales.csv'}\n`);
  const finished: Finished[] = [];
  for (const stage of STAGES) {
    finished.push(...(await Promise.all(stage.map((step) => runStep(stack, step, expected, out)))));
  }
  return finished;
}

async function writeSales(workspace: Workspace, csv: string): Promise<void> {
  const batch = await workspace.publish('demo');
  try {
    await batch.add('sales.csv', Readable.from([Buffer.from(csv)]));
    await batch.commit();
  } finally {
    await batch.abort();
  }
}

async function runStep({ client }: DemoStack, step: Step, expected: Expected, out: Channel): Promise<Finished> {
  const { green, red, dim } = out.colors;
  const execution = await client.start(requestOf(step));
  const result = await execution.result();
  const faults = faultsOf(step, result, expected);
  const mark = faults.length === 0 ? green('✔') : red('✘');
  out.line(`${mark} ${step.language.padEnd(10)} ${step.label} ${dim(`(${formatMs(result.metadata.totalTimeMs)})`)}`);
  return { step, result, url: execution.url, faults };
}

function printOutcome(finished: readonly Finished[], workspace: Workspace, out: Channel): void {
  const { bold, cyan, red } = out.colors;
  const rows = finished.map(({ step, result, faults }) => [
    step.language,
    `examples/programs/${step.program}`,
    `${formatMs(result.metadata.executionTimeMs)} (${result.metadata.startKind})`,
    faults.length === 0 ? neutralise(step.summarise((result.result ?? {}) as Record<string, unknown>)) : 'wrong',
  ]);
  out.line();
  for (const line of table(['language', 'program', 'run', 'what it found'], rows)) out.line(line);
  out.line(bold('\nFiles'));
  for (const { workspacePath, size } of finished.flatMap(({ result }) => result.savedFiles)) {
    out.line(`  ${workspace.locate(workspacePath) ?? workspacePath}  ${formatBytes(size)}`);
  }
  out.line(bold('\nRuns in the Temporal UI'));
  for (const { step, url } of finished) out.line(`  ${step.language.padEnd(10)}  ${cyan(url)}`);
  const faults = finished.flatMap(({ step, faults: found }) => found.map((fault) => `${step.program}: ${fault}`));
  out.line(faults.length === 0 ? '\nAll results are what the demo computed by itself.' : red('\nNot as it should be:'));
  for (const fault of faults) out.line(`  ${neutralise(fault)}`);
}

async function main(): Promise<void> {
  const terminal = processTerminal();
  const exitCode = await demo(process.argv.slice(2), terminal.out).catch((error: unknown) => {
    const { message, stack, exitCode: code } = describeFailure(error);
    if (code === EXIT.INTERRUPTED || code === EXIT.TERMINATED) return code;
    terminal.err.line(
      terminal.err.colors.red(`The demo failed: ${code === EXIT.INTERNAL ? (stack ?? message) : message}`),
    );
    return EXIT.FAILED;
  });
  await terminal.flush();
  process.exit(exitCode);
}

void main();
