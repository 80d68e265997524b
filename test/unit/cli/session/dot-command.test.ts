import { DOT_COMMANDS, parseDotCommand } from '../../../../src/cli/session/dot-command';

test.each<[string, string, readonly string[]]>([
  ['.exit', 'exit', []],
  ['  .status  ', 'status', []],
  ['.upload a.csv', 'upload', ['a.csv']],
  ['.upload a.csv in/b.csv', 'upload', ['a.csv', 'in/b.csv']],
  [`.upload "my file.csv" 'in/b c.csv'`, 'upload', ['my file.csv', 'in/b c.csv']],
  ['.download "say \\"hi\\".txt"', 'download', ['say "hi".txt']],
])('%j is a command', (line, name, args) => {
  expect(parseDotCommand(line)).toEqual({ kind: 'command', name, args });
});

test.each(['. ./env.sh', './run.sh', '.5 + 1', '..', '.hidden/run', 'x.exit', '', '.'])('%j is a program', (line) => {
  expect(parseDotCommand(line)).toBeUndefined();
});

test.each([
  ['.bogus', 'there is no command .bogus; .help lists them'],
  ['.constructor', 'there is no command .constructor; .help lists them'],
  ['.upload', 'use it like .upload LOCAL [PATH]'],
  ['.exit now', 'use it like .exit'],
  ['.download a b c', 'use it like .download PATH [LOCAL]'],
])('%j is a mistake', (line, message) => {
  expect(parseDotCommand(line)).toEqual({ kind: 'mistake', message });
});

test('each command is called as its usage begins', () => {
  for (const [name, { usage }] of Object.entries(DOT_COMMANDS)) expect(usage.split(' ')[0]).toBe(`.${name}`);
});
