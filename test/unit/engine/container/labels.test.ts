import { LABELS, readLabels, writeLabels } from '../../../../src/engine/container/labels';

const OURS = writeLabels({ hostId: 'host', workerId: 'worker' }, 'key', 1_700_000_000_000);

test('what is written is read back', () => {
  expect(readLabels(OURS)).toEqual({ hostId: 'host', workerId: 'worker', createdAt: 1_700_000_000_000 });
});

test.each<[string, Record<string, string>]>([
  ['no labels', {}],
  ['a similar prefix', { 'io.hourglass2.host': 'host', 'io.hourglass2.worker': 'worker' }],
  ['only the host', { [LABELS.host]: 'host' }],
  ['no key', { ...OURS, [LABELS.key]: '' }],
  ['a time that is none', { ...OURS, [LABELS.created]: 'yesterday' }],
  ['a time in seconds', { ...OURS, [LABELS.created]: '1700000000' }],
])('a container with %s is not ours', (_, labels) => {
  expect(readLabels(labels)).toBeUndefined();
});
