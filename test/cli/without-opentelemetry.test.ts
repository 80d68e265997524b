import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildCli } from '../support/cli';

const ROOT = resolve(__dirname, '../..');
/** Loads all of the package, opens the tracing and tells what of OpenTelemetry was loaded for it. */
const SCRIPT = `
const { createLog } = require('./lib/src');
const { openTracing, NO_TRACING } = require('./lib/src/telemetry/tracing');
const warnings = [];
const log = createLog({ level: 'warn', format: 'json', write: (line) => warnings.push(line) });
openTracing(log).then((tracing) => {
  const loaded = Object.keys(require.cache).filter((file) => file.includes('opentelemetry'));
  console.log(JSON.stringify({ isAbsent: tracing === NO_TRACING, hasLoaded: loaded.length > 0, warnings }));
  process.exit();
});`;

let folder: string;

beforeAll(() => {
  buildCli();
  folder = mkdtempSync(join(tmpdir(), 'hourglass-installed-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The package as it is installed beside those packages that a user has. */
function install(name: string, has: (dependency: string) => boolean): string {
  const home = join(folder, name);
  mkdirSync(join(home, 'node_modules'), { recursive: true });
  symlinkSync(join(ROOT, 'lib'), join(home, 'lib'));
  for (const dependency of readdirSync(join(ROOT, 'node_modules')).filter(has)) {
    symlinkSync(join(ROOT, 'node_modules', dependency), join(home, 'node_modules', dependency));
  }
  return home;
}

function openIn(home: string): unknown {
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main', '-e', SCRIPT];
  return JSON.parse(execFileSync(process.execPath, flags, { cwd: home, encoding: 'utf8' }));
}

test('without OpenTelemetry nothing of it is loaded, nothing is recorded and nobody is warned', () => {
  const home = install('without', (name) => name !== '@opentelemetry');
  expect(openIn(home)).toEqual({ isAbsent: true, hasLoaded: false, warnings: [] });
});

test('with OpenTelemetry beside the package it is used', () => {
  expect(openIn(install('with', () => true))).toEqual({ isAbsent: false, hasLoaded: true, warnings: [] });
});
