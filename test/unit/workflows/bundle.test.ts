import { resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type LogEntry } from '@temporalio/worker';

test('the workflows bundle without a module of Node and without a warning', async () => {
  const entries: LogEntry[] = [];
  const { code } = await bundleWorkflowCode({
    workflowsPath: resolve(__dirname, '../../../workflows/index.ts'),
    workflowInterceptorModules: [resolve(__dirname, '../../../workflows/trace-header.ts')],
    logger: new DefaultLogger('WARN', (entry) => void entries.push(entry)),
  });
  expect(entries.map((entry) => entry.message)).toEqual([]);
  expect(code).toContain('executeCode');
  expect(code).not.toMatch(/require\("(?:node:)?(?:fs|path|crypto|net|child_process|stream)"\)/);
});
