import { loadConfig } from '../../../src/config';
import { VARIABLES } from '../../../src/config/variables';

const variables = Object.entries(VARIABLES);
const context = { home: '/home/ada', baseDir: '/' };

test('every name is used once', () => {
  const names = variables.map(([, variable]) => variable.name);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  'CODE_SANDBOX_IMAGE',
  'MAX_CONCURRENT_EXECUTIONS',
  'CODE_SESSION_TTL_MS',
  'CODE_SANDBOX_MEMORY_BYTES',
  'CODE_SANDBOX_CPU_CORES',
  'CODE_SANDBOX_TIMEOUT_MS',
  'CODE_SANDBOX_MAX_PIDS',
  'CODE_SANDBOX_MAX_OUTPUT_BYTES',
])('%s of the reference is known', (name) => {
  expect(variables.map(([, variable]) => variable.name)).toContain(name);
});

test.each(variables.filter(([, { default: value }]) => value !== undefined && typeof value !== 'function'))(
  'the default of %s is what its own parser makes of it',
  (_field, variable) => {
    const {
      default: value,
      show,
      parser,
    } = variable as { default: unknown; show?: (v: unknown) => unknown; parser: typeof variable.parser };
    expect(parser.parse(show?.(value) ?? value, context)).toEqual(value);
  },
);

test('every field of the configuration has its variable', () => {
  const paths = (value: unknown, prefix = ''): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, child]) => paths(child, prefix === '' ? key : `${prefix}.${key}`))
      : [prefix];
  const config = loadConfig({ env: { HOME: '/home/ada' }, cwd: '/' });
  expect(paths(config).sort()).toEqual(Object.keys(VARIABLES).sort());
});
