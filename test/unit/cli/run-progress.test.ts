import { RunProgress } from '../../../src/cli/run/run-progress';
import { recordTerminal } from '../../support/terminal';

test('a terminal shows what is new of the progress of a program, and nothing twice', () => {
  const { err, text } = recordTerminal(true);
  const progress = new RunProgress(err);
  progress.show(undefined);
  progress.show({ fraction: 0.5, message: 'half' });
  progress.show({ fraction: 0.5, message: 'half' });
  progress.show({ fraction: 1 });
  expect(text.err).toBe(`${'█'.repeat(12)}${'░'.repeat(12)}  50 %  half\n${'█'.repeat(24)} 100 %\n`);
});

test('elsewhere nothing is shown', () => {
  const { err, text } = recordTerminal();
  new RunProgress(err).show({ fraction: 0.5 });
  expect(text.err).toBe('');
});
