#!/usr/bin/env node
import { EXIT } from './exit-codes';
import { execute } from './program';
import { processTerminal } from './terminal';

async function main(): Promise<void> {
  const terminal = processTerminal();
  let exitCode = await execute(process.argv.slice(2), terminal);
  await terminal.flush();
  if (terminal.fault !== undefined) {
    terminal.err.line(`hourglass: INPUT_OUTPUT: stdout could not be written: ${terminal.fault.message}`);
    exitCode ||= EXIT.INPUT_OUTPUT;
  }
  // What native libraries left open must not keep a finished command alive.
  process.exit(exitCode);
}

void main();
