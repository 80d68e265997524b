import { HourglassError } from '../../../../src/contract';
import { explainFailure, imageMissing } from '../../../../src/engine/container/docker-errors';

const HOST = 'unix:///var/run/docker.sock';
const explain = (error: unknown): string => explainFailure(error, 'start a container', HOST).message;

test.each([
  ['ENOENT', /cannot be used: no engine listens there: start it, or run `hourglass setup`/],
  ['ECONNREFUSED', /no engine listens there/],
  ['EACCES', /this user may not use it/],
  ['ENOTFOUND', /check DOCKER_HOST/],
])('a connection that fails with %s says what to do', (code, message) => {
  const failure = explainFailure(Object.assign(new Error('connect'), { code }), 'start a container', HOST);
  expect(failure).toMatchObject({ code: 'ENGINE_UNAVAILABLE', message: expect.stringMatching(message) as string });
  expect(failure.message).toContain(HOST);
});

test('an answer that is no success is given in the words of the engine, on one line', () => {
  const error = Object.assign(new Error('(HTTP code 500) server error'), {
    statusCode: 500,
    json: { message: 'no space left\non device' },
  });
  expect(explain(error)).toBe(`The Docker engine at ${HOST} did not start a container (500): no space left on device`);
});

test('words of the engine are bounded', () => {
  const error = Object.assign(new Error(''), { statusCode: 400, json: { message: 'x'.repeat(100_000) } });
  expect(explain(error).length).toBeLessThan(600);
});

test('what is ours already stays as it is', () => {
  const ours = new HourglassError('ENGINE_UNAVAILABLE', 'too late');
  expect(explainFailure(ours, 'start', HOST)).toBe(ours);
});

test('a missing image names the command that builds it', () => {
  expect(imageMissing('hourglass/sandbox:1').message).toMatch(/hourglass\/sandbox:1.*: run `hourglass setup`/);
  expect(imageMissing('mine:2').message).toMatch(/mine:2 .*pull or build it, or unset CODE_SANDBOX_IMAGE/);
});
