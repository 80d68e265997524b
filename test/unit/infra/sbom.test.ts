import { createSbom } from '../../../infra/setup/image/sbom.js';

const ID = `sha256:${'ab'.repeat(32)}`;
const INVENTORY = {
  distribution: 'bookworm',
  node: 'v24.1.0',
  debian: [{ name: 'libstdc++6', version: '12.2.0-14+deb12u1', architecture: 'amd64' }],
  python: [{ name: 'Typing_Extensions', version: '4.16.0' }],
  npm: [
    { name: '@babel/runtime', version: '7.0.0' },
    { name: '@babel/runtime', version: '7.0.0' },
  ],
  setId: [],
};

test('R09: a bill of materials names each package once, by what scanners look it up', () => {
  const { components } = createSbom('hourglass/sandbox:1', { Id: ID, Config: {} }, INVENTORY);
  expect(components.map(({ purl }) => purl)).toEqual([
    'pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-bookworm',
    'pkg:pypi/typing-extensions@4.16.0',
    'pkg:npm/%40babel/runtime@7.0.0',
    'pkg:generic/node@24.1.0',
  ]);
});

test('R09: it says which image it is about and on what that was built, and is the same for the same image', () => {
  const facts = { Id: ID, Config: { Labels: { 'io.hourglass.base': 'debian:bookworm-slim@sha256:1' } } };
  const sbom = createSbom('hourglass/sandbox:1', facts, INVENTORY);
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
  expect(sbom.metadata.component).toMatchObject({
    name: 'hourglass/sandbox',
    version: '1',
    hashes: [{ alg: 'SHA-256', content: 'ab'.repeat(32) }],
    properties: [{ name: 'io.hourglass.base', value: 'debian:bookworm-slim@sha256:1' }],
  });
  expect(createSbom('hourglass/sandbox:1', facts, INVENTORY)).toEqual(sbom);
});
