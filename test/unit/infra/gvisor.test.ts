import { addRuntime, runtimeArgs } from '../../../infra/setup/engine/gvisor.js';

const RUNSC = { path: '/usr/bin/runsc', runtimeArgs: ['--network=none'] };

test('an engine without a configuration gets one that names the runtime', () => {
  expect(addRuntime({}, '/usr/bin/runsc', ['--network=none'])).toEqual({ runtimes: { runsc: RUNSC } });
});

test('all that is configured stays, other runtimes too; an older entry of the same name gives way', () => {
  const kata = { path: '/opt/kata', runtimeArgs: ['--fast'] };
  const config = { 'live-restore': true, 'data-root': '/data', runtimes: { kata, runsc: { path: '/old/runsc' } } };
  const before = structuredClone(config);
  expect(addRuntime(config, '/usr/bin/runsc', ['--network=none'])).toEqual({
    ...{ 'live-restore': true, 'data-root': '/data' },
    runtimes: { kata, runsc: RUNSC },
  });
  expect(config).toEqual(before);
});

test.each([
  ['runsc version release-20221122.0-0-gabc\nspec: 1.0.2', ['--platform=ptrace', '--network=none']],
  ['runsc version release-20240102.0\nspec: 1.1.0-rc.1', ['--network=none']],
  ['runsc version VERSION_MISSING\nspec: 1.1.0', ['--network=none']],
])('%j gets arguments that work without virtualisation', (version, args) => {
  expect(runtimeArgs(version)).toEqual(args);
});
