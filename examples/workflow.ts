/**
 * A first workflow of your own. It calls Hourglass as a child workflow on Hourglass's task queue, so your worker needs
 * neither an engine nor anything of ours but types.
 */
import { executeChild } from '@temporalio/workflow';
import type { ExecutionRequest, ExecutionResult } from 'hourglass-temporal/contract';
import type { executeCode } from 'hourglass-temporal/workflows';

const FIGURES = `
import pandas as pd
prices = pd.Series(prices)
result = {"mean": round(prices.mean(), 2), "highest": prices.max()}
`;

/** Asks a Python program for figures, then a shell program for a sentence about them. */
export async function describePrices(prices: number[]): Promise<string> {
  const figures = await run({ language: 'python', code: FIGURES, inputData: { prices }, label: 'figures' });
  const sentence = await run({
    language: 'shell',
    code: 'jq -r \'"The mean is \\(.mean), the highest price is \\(.highest)."\' <<< "$figures"',
    inputData: { figures: figures.result },
    label: 'sentence',
  });
  return sentence.stdout;
}

/** A program that fails is a result, not an exception: here it ends the workflow. */
async function run(request: ExecutionRequest): Promise<ExecutionResult> {
  const result = await executeChild<typeof executeCode>('executeCode', { taskQueue: 'hourglass', args: [request] });
  if (result.error === undefined) return result;
  throw new Error(`${result.error.code}: ${result.error.message}`);
}
