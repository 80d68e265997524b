#!/usr/bin/env node
import { execute } from './program';
import { processTerminal } from './terminal';

async function main(): Promise<void> {
  const terminal = processTerminal();
  const exitCode = await execute(process.argv.slice(2), terminal);
  await terminal.flush();
  // What native libraries left open must not keep a finished command alive.
  process.exit(exitCode);
}

void main();
