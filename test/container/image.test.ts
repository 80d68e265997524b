import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeInventory } from '../../infra/setup/image/inventory.js';
import { setup } from '../../infra/setup/index.js';
import { askEngine } from '../support/engine-api';
import { runInImage } from '../support/run-in-image';

const SILENT = {
  start: () => undefined,
  progress: () => undefined,
  done: () => undefined,
  failed: () => undefined,
  close: () => undefined,
};

test('R09: set-up names the digest of the image and a file that lists every package that was pinned', async () => {
  const { image, imageDigest, sbom } = await setup({ only: ['image'], reporter: SILENT });
  expect((await askEngine<{ Id: string }>(`/images/${image}/json`)).Id).toBe(imageDigest);
  const { components } = JSON.parse(readFileSync(sbom ?? '', 'utf8')) as { components: { purl: string }[] };
  const listed = new Set(components.map(({ purl }) => purl));
  const requirements = readFileSync(join(__dirname, '../../infra/images/requirements.txt'), 'utf8');
  const pins = [...requirements.matchAll(/^([a-z0-9.-]+)==([^\s;]+)(?! *;)/gm)];
  expect(pins.length).toBeGreaterThan(50);
  const missing = pins.filter(([, name, version]) => !listed.has(`pkg:pypi/${name}@${version}`)).map(([pin]) => pin);
  expect(missing).toEqual([]);
  expect(components.filter(({ purl }) => purl.startsWith('pkg:deb/debian/')).length).toBeGreaterThan(50);
});

test('R09: the image lists no set-id file, no compiler and no package manager', async () => {
  const { engine, image } = await setup({ only: ['image'], reporter: SILENT });
  const { setId, debian, python, npm } = await takeInventory(engine?.dockerHost ?? '', image ?? '');
  expect(setId).toEqual([]);
  const names = [...debian, ...python, ...npm].map(({ name }) => name.toLowerCase());
  const unwanted =
    /^(gcc|g\+\+|clang|make|cpp|binutils|pip|setuptools|npm|yarn|curl|wget|netcat.*|openssh.*|sudo|gdb|strace)(-\d+)?$/;
  expect(names.filter((name) => unwanted.test(name))).toEqual([]);
});

/** Prints what package managers keep to be quicker the next time: lists, archives and folders of their own. */
const CACHES = `
import json, os, re
kept = re.compile(r'^(/var/cache/.+|/var/lib/apt(/.*)?|.*/(\\.cache|\\.npm|_cacache|\\.yarn/cache|\\.pnpm-store)|.*\\.(deb|whl|rpm))$')
found = []
for folder, folders, files in os.walk('/'):
    folders[:] = [name for name in folders if folder != '/' or name not in ('proc', 'sys', 'dev')]
    found += filter(kept.match, (os.path.join(folder, name) for name in folders + files))
print(json.dumps(sorted(found)))`;

/** One of each kind, where root's package managers leave them. */
const PLANTED = [
  '/root/.cache',
  '/root/.npm',
  '/var/cache/apt',
  '/var/cache/apt/x.deb',
  '/var/lib/apt',
  '/var/lib/apt/lists',
];

test('R09: the image holds no cache of a package manager; the search finds one that is planted', async () => {
  const { engine, image } = await setup({ only: ['image'], reporter: SILENT });
  const cachesAfter = async (code: string): Promise<unknown> =>
    JSON.parse(await runInImage(engine?.dockerHost ?? '', image ?? '', `${code}${CACHES}`));
  expect(await cachesAfter('')).toEqual([]);
  const plant = `import os\nfor path in ${JSON.stringify(PLANTED)}: os.makedirs(path)`;
  expect(await cachesAfter(plant)).toEqual(PLANTED);
});
