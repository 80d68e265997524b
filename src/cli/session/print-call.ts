import type { ExecutionResult, SessionFacts } from '../../contract';
import { neutralise } from '../output-filter';
import { describeError, formatBytes, printTraceback, shownValue } from '../run/report';
import type { Channel, Terminal } from '../terminal';

/** Prints what came of a call whose output was shown: its value, its error, and what is unusual about the state. */
export function printCall(result: ExecutionResult, { out, err }: Terminal): void {
  endLines(result, { out, err });
  printTraceback(result, err);
  const value = shownValue(result);
  if (result.resultFile !== undefined) {
    const { workspacePath, size } = result.resultFile;
    out.line(`${neutralise(workspacePath)} in the workspace has the value, ${formatBytes(size)}`);
  } else if (value !== undefined) out.line(value);
  if (result.error !== undefined)
    err.line(`${err.colors.red(`✘ ${result.error.code}`)} ${describeError(result.error)}`);
  for (const warning of result.warnings) err.line(err.colors.yellow(`warning ${neutralise(warning)}`));
  printFacts(result, err);
}

/** A program's last line may have no end: what is said next is not its. */
function endLines({ stdout, stderr }: ExecutionResult, { out, err }: Pick<Terminal, 'out' | 'err'>): void {
  if (out.isTerminal && stdout !== '' && !stdout.endsWith('\n')) out.line();
  else if (err.isTerminal && stderr !== '' && !stderr.endsWith('\n')) err.line();
}

/** Prints in one line what a person would not expect of the session after a call; nothing where all is as ever. */
export function printFacts({ metadata, savedFiles }: ExecutionResult, err: Channel): void {
  const { state, background = 0, recreated, restored } = metadata.session ?? {};
  const facts = [
    ...(recreated === true ? [describeLoss(restored)] : []),
    ...(state === 'restored' ? ['the state is that of before this program'] : []),
    ...(state === 'empty' ? ['the state could not be kept: the next program begins with none'] : []),
    ...(background > 0
      ? [background === 1 ? '1 process in the background' : `${background} processes in the background`]
      : []),
    ...(savedFiles.length > 0
      ? [`saved ${savedFiles.map(({ workspacePath }) => neutralise(workspacePath)).join(', ')}`]
      : []),
  ];
  if (facts.length > 0) err.line(err.colors.dim(facts.join('; ')));
}

function describeLoss(restored: SessionFacts['restored']): string {
  const lost = 'the sandbox before it was lost';
  if (restored === undefined) return `${lost}: this one began empty`;
  const { files, others } = restored;
  const left = others > 0 ? `, and ${others} links or others are gone` : '';
  return `${lost}: its ${files === 1 ? '1 file is' : `${files} files are`} back, its variables are not${left}`;
}
