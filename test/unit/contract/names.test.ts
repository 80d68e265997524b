import { idSchema, inputKeySchema, inputNameSchema } from '../../../src/contract';

test.each(['a', 'A9', 'user@example.org', 'a:b', 'a+b', '2026-01-01', 'x'.repeat(128)])('%p is an id', (id) =>
  expect(idSchema.safeParse(id).success).toBe(true),
);

test.each(['', '.', '..', '-a', '_a', 'a/b', 'a b', 'a\n', 'ä', 'x'.repeat(129), 'a\0'])('%p is no id', (id) =>
  expect(idSchema.safeParse(id).success).toBe(false),
);

test.each(['x', '_x', '$x', 'camelCase', 'PATH', 'IFS', 'result', 'x'.repeat(128)])('%p names an input', (name) =>
  expect(inputNameSchema.safeParse(name).success).toBe(true),
);

test.each([
  '',
  '1x',
  'a-b',
  'a.b',
  'a b',
  'é',
  '__proto__',
  'constructor',
  '__builtins__',
  'inputs',
  'globalThis',
  'a\n',
])('%p does not name an input', (name) => expect(inputNameSchema.safeParse(name).success).toBe(false));

test.each(['x', 'user-name', 'a b', '1x', 'é', '名', 'inputs', '__name__', 'constructor'])(
  '%p is a key of inputData',
  (key) => expect(inputKeySchema.safeParse(key).success).toBe(true),
);

test.each(['', '__proto__', 'a\n', 'x'.repeat(129)])('%p is no key of inputData', (key) =>
  expect(inputKeySchema.safeParse(key).success).toBe(false),
);
