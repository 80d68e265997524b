import { defaultUiUrl, executionUrl } from '../../../src/execution-url';

test('a link names namespace, workflow and run, encoded', () => {
  const link = executionUrl({ uiUrl: 'http://localhost:8233/', namespace: 'default', workflowId: 'a/b c', runId: 'r' });
  expect(link).toBe('http://localhost:8233/namespaces/default/workflows/a%2Fb%20c/r');
});

test.each([
  ['localhost:7233', 'http://localhost:8233'],
  ['127.0.0.1:40123', 'http://127.0.0.1:41123'],
  ['temporal', 'http://temporal:8233'],
  ['[::1]:7233', 'http://[::1]:8233'],
])('the UI of %s is at %s', (address, url) => {
  expect(defaultUiUrl(address)).toBe(url);
});
