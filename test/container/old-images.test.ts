import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { call, stream } from '../../infra/setup/engine/api.js';
import { BASE_LABEL } from '../../infra/setup/image/sbom.js';
import { findOldImages, removeOldImages, stageCommands } from '../../infra/setup/image/left-overs.js';
import { resolveEndpoint } from '../../src/engine/container/endpoint';

const HOUR_MS = 3_600_000;
const EMPTY_TAR = Buffer.alloc(1_024);

const { dockerHost } = resolveEndpoint(process.env['DOCKER_HOST']);
const REPOSITORY = `hourglass-test-${randomBytes(4).toString('hex')}/sandbox`;
const [SOURCE = '', NEWEST = ''] = stageCommands();
const made: string[] = [];

afterAll(async () => {
  for (const path of made.reverse()) await call(dockerHost, { method: 'DELETE', path }).catch(() => undefined);
});

const hash = (): string => randomBytes(6).toString('hex');

async function post(path: string, body?: object): Promise<{ Id: string }> {
  const text = body === undefined ? [] : [Buffer.from(JSON.stringify(body))];
  const headers = { 'Content-Type': 'application/json', 'Content-Length': text[0]?.length ?? 0 };
  const answer = await call(dockerHost, { method: 'POST', path, headers, body: Readable.from(text) });
  return (answer === '' ? {} : JSON.parse(answer)) as { Id: string };
}

/** An image of no bytes with a name and labels. */
async function image(name: string, labels: Record<string, string> = {}): Promise<string> {
  const [repo = '', tag = ''] = name.split(':');
  const changes = Object.entries(labels).map(([key, value]): [string, string] => ['changes', `LABEL ${key}=${value}`]);
  const query = new URLSearchParams([['fromSrc', '-'], ['repo', repo], ['tag', tag], ...changes]);
  const headers = { 'Content-Type': 'application/x-tar', 'Content-Length': EMPTY_TAR.length };
  const body = Readable.from([EMPTY_TAR]);
  await stream(
    dockerHost,
    { method: 'POST', path: `/images/create?${query.toString()}`, headers, body },
    () => undefined,
  );
  made.push(`/images/${name}`);
  return name;
}

async function sandboxImage(tag = hash(), label = tag): Promise<string> {
  return image(`${REPOSITORY}:${tag}`, { 'io.hourglass.image': label });
}

async function container(from: string, command: string): Promise<string> {
  const { Id } = await post('/containers/create', { Image: from, Cmd: ['/bin/sh', '-c', command] });
  made.push(`/containers/${Id}?force=1`);
  return Id;
}

/** An image without a name, as a build leaves it after a command. */
async function untagged(from: string, command: string): Promise<string> {
  const source = await container(from, command);
  const { Id } = await post(`/commit?container=${source}`);
  made.push(`/images/${Id}`);
  return Id;
}

async function isThere(name: string): Promise<boolean> {
  return call(dockerHost, { method: 'GET', path: `/images/${name}/json` }).then(
    () => true,
    () => false,
  );
}

async function found(search: { keep?: string[]; olderThanMs?: number } = {}): Promise<Record<string, string>> {
  const images = await findOldImages({ dockerHost, repository: REPOSITORY, olderThanMs: 0, ...search });
  return Object.fromEntries(images.map(({ name, reason }) => [name, reason]));
}

test('images of other versions go, and every look-alike stays', async () => {
  const old = await sandboxImage();
  const dependencies = await image(`${REPOSITORY}-dependencies:${hash()}`, { [BASE_LABEL]: 'debian' });
  const [current, used] = [await sandboxImage(), await sandboxImage()];
  await container(used, 'true');
  const stays = [
    current,
    used,
    await sandboxImage('latest'),
    await sandboxImage('1.0'),
    await sandboxImage(hash(), hash()),
    await image(`${REPOSITORY}:${hash()}`),
    await image(`${REPOSITORY}-dependencies:${hash()}`),
    await image(`${REPOSITORY}-mine:${hash()}`, { 'io.hourglass.image': 'x', [BASE_LABEL]: 'debian' }),
  ];
  const keep = [current];
  const names = Object.entries(await found({ keep })).filter(([name]) => name.startsWith(REPOSITORY));
  expect(Object.fromEntries(names)).toEqual({ [old]: 'of another version', [dependencies]: 'of another version' });
  expect(Object.keys(await found({ keep, olderThanMs: HOUR_MS }))).not.toContain(old);

  const chosen = await findOldImages({ dockerHost, repository: REPOSITORY, olderThanMs: 0, keep });
  const ours = chosen.filter(({ name }) => name.startsWith(REPOSITORY));
  const alsoUsed = { name: used, id: '', reason: '', bytes: 0 };
  const { unremoved } = await removeOldImages(dockerHost, [
    ...ours,
    alsoUsed,
    { ...alsoUsed, name: `${REPOSITORY}:gone` },
  ]);
  expect(unremoved.map(({ image: { name } }) => name)).toEqual([used]);
  expect(await Promise.all([old, dependencies].map(isThere))).toEqual([false, false]);
  expect(await Promise.all(stays.map(isThere))).toEqual(stays.map(() => true));
});

test('a name that somebody else gave to an image of ours keeps the image', async () => {
  const old = await sandboxImage();
  const theirs = `${REPOSITORY}-theirs:1`;
  await post(`/images/${old}/tag?repo=${REPOSITORY}-theirs&tag=1`);
  made.push(`/images/${theirs}`);
  const chosen = await findOldImages({ dockerHost, repository: REPOSITORY, olderThanMs: 0 });
  await removeOldImages(
    dockerHost,
    chosen.filter(({ name }) => name === old),
  );
  expect([await isThere(old), await isThere(theirs)]).toEqual([false, true]);
});

test('stages of our builds are told from other images without a name by the command that made them', async () => {
  const base = await image(`${REPOSITORY}-base:1`);
  const theirs = await untagged(base, `${SOURCE} && echo mine`);
  const short = await untagged(base, 'apt-get update');
  const stage = await untagged(base, SOURCE);
  const other = await untagged(base, NEWEST);
  for (const path of made.filter((one) => one.startsWith('/containers/'))) {
    await call(dockerHost, { method: 'DELETE', path }).catch(() => undefined);
  }
  const names = await found();
  expect(names).toMatchObject({ [stage]: 'a stage of a build', [other]: 'a stage of a build' });
  expect(Object.keys(names)).not.toContain(theirs);
  expect(Object.keys(names)).not.toContain(short);
});
