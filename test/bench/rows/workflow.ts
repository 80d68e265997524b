import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExecutionRequest, ExecutionResult } from '../../../src/contract';
import { rounds, side, type BenchContext, type Measured, type Row } from '../row';
import { median, timed } from '../statistics';
import { TemporalSetup } from '../temporal-setup';

const PAIRS = 300;
const EMPTY: ExecutionRequest = { language: 'python', code: 'pass' };
const MiB = 1_048_576;
const FILES_IN = Array.from({ length: 10 }, (_, index) => `in-${index}.bin`);
const FILES_OUT = FILES_IN.slice(0, 3);
const WITH_FILES: ExecutionRequest = {
  ...EMPTY,
  inputFiles: FILES_IN.map((path) => ({ path })),
  outputFiles: FILES_OUT.map((sandboxPath) => ({ sandboxPath, workspacePath: `out/${sandboxPath}` })),
};

/** Puts the input files where the default tenant's files are. */
async function writeInputs({ host }: TemporalSetup): Promise<void> {
  await host.run({ language: 'shell', code: 'echo > seed', outputFiles: [{ sandboxPath: 'seed' }] });
  const workspace = await host.test.host.workspaces.open({ workspaceId: 'default', userId: 'default' });
  const folder = dirname(workspace.locate('seed') ?? '');
  for (const path of FILES_IN) writeFileSync(join(folder, path), Buffer.alloc(MiB, path));
}

function requireWarm(result: unknown): void {
  const { success, metadata } = result as ExecutionResult;
  if (!success || metadata.startKind !== 'warm')
    throw new Error(`a warm execution was ${metadata.startKind}, success: ${success}`);
}

async function measure(request: ExecutionRequest, context: BenchContext): Promise<readonly Measured[]> {
  const setup = await TemporalSetup.open();
  const ours: number[] = [];
  const nothing: number[] = [];
  try {
    await writeInputs(setup);
    await setup.execute('executeCode', request);
    await setup.execute('noop', request);
    const pairs = rounds(context, PAIRS);
    for (let pair = 0; pair < pairs; pair += 1) {
      if (pair % 50 === 0) context.say(`pair ${pair + 1} of ${pairs}`);
      await setup.host.quiet(1);
      ours.push(await timed(async () => requireWarm(await setup.execute('executeCode', request))));
      await setup.host.quiet(1);
      nothing.push(await timed(() => setup.execute('noop', request)));
    }
  } finally {
    await setup.close();
  }
  const sides = [side('workflow with an execution', 'ms', ours), side('workflow with a no-op', 'ms', nothing)];
  return [{ value: median(ours) - median(nothing), sides }];
}

export const WORKFLOW_EMPTY: Row = {
  name: 'workflow-empty',
  goals: [{ name: 'workflow with a warm execution minus no-op, p50', compare: '<=', value: 15, unit: 'ms' }],
  measure: (context) => measure(EMPTY, context),
};

export const WORKFLOW_FILES: Row = {
  name: 'workflow-files',
  goals: [{ name: 'the same with ten 1 MB files in and three out, p50', compare: '<=', value: 60, unit: 'ms' }],
  measure: (context) => measure(WITH_FILES, context),
};
