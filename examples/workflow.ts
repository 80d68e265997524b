/**
 * A first workflow of your own. It runs in Temporal's workflow sandbox, so it imports nothing but workflow code:
 * `executeCode` comes from `hourglass-temporal/workflows`.
 *
 * Export it beside ours from the file that your worker names as `workflowsPath`, or let Hourglass's worker run
 * `executeCode` as a child on its own task queue, as here.
 */
import { executeChild } from '@temporalio/workflow';
import type { ExecutionResult } from 'hourglass-temporal/contract';

const PROGRAM = `
import pandas as pd
prices = pd.Series(prices)
result = {"mean": prices.mean(), "highest": prices.max()}
`;

/** Asks a Python program for figures, then a shell program for a sentence about them. */
export async function describePrices(prices: number[]): Promise<string> {
  const figures = await run({ language: 'python', code: PROGRAM, inputData: { prices }, label: 'figures' });
  if (figures.error !== undefined) throw new Error(figures.error.message);
  const sentence = await run({
    language: 'shell',
    code: 'echo "The mean is $(jq .mean <<< "$figures")."',
    inputData: { figures: figures.result },
    label: 'sentence',
  });
  return sentence.stdout;
}

async function run(request: object): Promise<ExecutionResult> {
  return (await executeChild('executeCode', { taskQueue: 'hourglass', args: [request] })) as ExecutionResult;
}
