import { LineError, readLine, toBatchLine, type BatchLine } from '../../../../src/cli/batch/batch-line';

const read = (text: string | undefined, number = 7): BatchLine =>
  toBatchLine(readLine({ number, text, bytes: 0, hasEnd: true }), number, `batch/x/${number}`);

function faultOf(text: string | undefined): LineError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof LineError) return error;
  }
  throw new Error('expected a LineError');
}

const line = (request: object, id: unknown = 'a'): string => JSON.stringify({ id, request });
const PYTHON = { language: 'python', code: '1' };

test('a request of the contract passes as it is', () => {
  const request = {
    ...PYTHON,
    inputFiles: [{ path: 'a.txt' }],
    outputFiles: [{ sandboxPath: 'b', workspacePath: 'c' }],
  };
  expect(read(line(request))).toMatchObject({ id: 'a', number: 7, request, inline: [] });
});

test('inline files get a place in the folder of their line', () => {
  const inputFiles = [
    { sandboxPath: 'a/t.txt', content: 'é', variableName: 'text' },
    { sandboxPath: 'b.bin', contentBase64: 'AAH/' },
  ];
  const { request, inline } = read(line({ ...PYTHON, inputFiles }));
  expect(request.inputFiles).toEqual([
    { path: 'batch/x/7/in/0', sandboxPath: 'a/t.txt', variableName: 'text' },
    { path: 'batch/x/7/in/1', sandboxPath: 'b.bin' },
  ]);
  expect(inline.map(({ content }) => content.toString('hex'))).toEqual(['c3a9', '0001ff']);
});

test('outputs without a place get one, each entry its own', () => {
  const outputFiles = [
    { sandboxPath: 'a/b.txt' },
    { sandboxPath: '/tmp/*.csv' },
    { sandboxPath: 'c', workspacePath: 'd' },
  ];
  expect(read(line({ ...PYTHON, outputFiles })).request.outputFiles).toEqual([
    { sandboxPath: 'a/b.txt', workspacePath: 'batch/x/7/out/0/b.txt' },
    { sandboxPath: '/tmp/*.csv', workspacePath: 'batch/x/7/out/1/' },
    { sandboxPath: 'c', workspacePath: 'd' },
  ]);
});

test.each([
  ['not JSON', 'nope', null],
  ['cut off', '{"id": "a", "req', null],
  ['no object', '[1]', null],
  ['without an id', JSON.stringify({ request: PYTHON }), null],
  ['an id that is no text', line(PYTHON, 7), null],
  ['an id that is empty', line(PYTHON, ''), null],
  ['an id that is too long', line(PYTHON, 'x'.repeat(257)), null],
  ['without a request', '{"id": "a"}', 'a'],
  ['a request that is a list', line([PYTHON]), 'a'],
  ['an unknown key beside the request', JSON.stringify({ id: 'a', request: PYTHON, more: 1 }), 'a'],
  ['a request that is not valid', line({ ...PYTHON, language: 'cobol' }), 'a'],
  ['an unknown key in the request', line({ ...PYTHON, colour: 1 }), 'a'],
  [
    'a name in the request that is a prototype',
    '{"id":"a","request":{"language":"python","code":"1","__proto__":{}}}',
    'a',
  ],
  ['both contents', line({ ...PYTHON, inputFiles: [{ sandboxPath: 'a', content: '', contentBase64: '' }] }), 'a'],
  ['content and path', line({ ...PYTHON, inputFiles: [{ path: 'b', sandboxPath: 'a', content: '' }] }), 'a'],
  ['content without a place', line({ ...PYTHON, inputFiles: [{ content: '' }] }), 'a'],
  ['content that is no base64', line({ ...PYTHON, inputFiles: [{ sandboxPath: 'a', contentBase64: 'a' }] }), 'a'],
  ['a place outside', line({ ...PYTHON, inputFiles: [{ sandboxPath: '../a', content: '' }] }), 'a'],
  ['a file that is null', line({ ...PYTHON, inputFiles: [null] }), 'a'],
])('%s is a failure of its line', (_, text, id) => {
  const fault = faultOf(text);
  expect(fault.line).toEqual({ id, number: 7 });
  expect(fault.message).toMatch(/not valid|not JSON/);
});

test('a line that is too long is a failure that says so', () => {
  expect(faultOf(undefined)).toMatchObject({
    line: { id: null, number: 7 },
    message: expect.stringContaining('longer') as unknown,
  });
});
