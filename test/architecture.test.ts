import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');
const SOURCE_FOLDERS = ['src', 'activities', 'workflows', 'infra/setup', 'examples'];

interface Import {
  readonly from: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((path) => !path.includes('node_modules') && !path.startsWith('src/runner/guest/'));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const pattern =
    /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|(?:import|require)\(\s*'([^']+)'\s*\)/g;
  return [...text.matchAll(pattern)].map((match) => {
    const target = match[3] ?? match[4] ?? '';
    const path = target.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), target)) : target;
    return { from: file, target: path, typeOnly: match[2] !== undefined };
  });
}

const files = SOURCE_FOLDERS.flatMap(sourceFiles);
const imports = files.flatMap(importsOf);
const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const describeImport = (found: Import): string => `${found.from} -> ${found.target}`;

test('the walk finds the sources and their imports', () => {
  expect(files).toContain('src/contract/request.ts');
  expect(imports.map(describeImport)).toContain('src/contract/request.ts -> src/contract/limits');
});

test.each([
  ['dockerode', 'src/engine/container/docker-client.ts'],
  ['lmdb', 'src/leases/lmdb-lease-store.ts'],
  ['@opentelemetry/api', 'src/telemetry/tracing/open-tracing.ts'],
])('%s is imported in one file only', (module, file) => {
  const importers = imports.filter((found) => found.target === module && !found.typeOnly).map((found) => found.from);
  expect([...new Set(importers)]).toEqual([file]);
});

test('R45: each file of attacks has the worker checked after each attack', () => {
  const attacks = sourceFiles('test/hostile').filter((file) => file.endsWith('.test.ts'));
  expect(attacks).toContain('test/hostile/attacks.test.ts');
  expect(attacks.filter((file) => !/\b(hostileHost|afterEachAttack)\(/.test(text(file)))).toEqual([]);
});

test('process.env is read in one file of the sources', () => {
  const readers = files.filter((file) => !file.startsWith('infra/setup/') && /\bprocess\s*\.\s*env\b/.test(text(file)));
  expect(readers).toEqual(['src/config/env.ts']);
});

test('workflows import activities as types only', () => {
  const values = imports.filter(
    (found) => found.from.startsWith('workflows/') && found.target.startsWith('activities'),
  );
  expect(values.filter((found) => !found.typeOnly).map(describeImport)).toEqual([]);
});

test('workflows reach nothing but the contract and the workflow library', () => {
  const allowed = /^(workflows\/|src\/contract|activities|@temporalio\/(workflow|common)$)/;
  const foreign = imports.filter((found) => found.from.startsWith('workflows/') && !allowed.test(found.target));
  expect(foreign.map(describeImport)).toEqual([]);
});

test('the contract imports nothing but itself and zod', () => {
  const foreign = imports.filter(
    (found) => found.from.startsWith('src/contract/') && !/^(src\/contract|zod$)/.test(found.target),
  );
  expect(foreign.map(describeImport)).toEqual([]);
});

/** Lower layers know nothing of the layers above them. */
const FORBIDDEN_ARROWS: readonly [from: string, to: RegExp][] = [
  ['src/runner/', /^(activities|workflows|src\/(engine\/container|pool|cli|worker|client|workspace|execution))/],
  ['src/pool/', /^(activities|workflows|src\/(cli|worker|client|workspace|execution))/],
  ['src/engine/', /^(activities|workflows|src\/(cli|worker|client|workspace|execution|pool))/],
  ['src/workspace/', /^(activities|workflows|src\/(cli|worker|client|engine|pool|runner|execution))/],
  ['src/leases/', /^(activities|workflows|src\/(cli|worker|client|pool|runner|execution))/],
  ['src/doctor/', /^(activities|workflows|src\/(cli|worker|client|workspace|execution|pool))/],
  ['activities/', /^(workflows|src\/(cli|worker|client))/],
];

test.each(FORBIDDEN_ARROWS)('%s imports no layer above it', (from, to) => {
  expect(imports.filter((found) => found.from.startsWith(from) && to.test(found.target)).map(describeImport)).toEqual(
    [],
  );
});

test('no source file has more than 300 lines', () => {
  expect(files.filter((file) => text(file).split('\n').length > 300)).toEqual([]);
});
