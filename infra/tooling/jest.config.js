/** @type {import('jest').Config} */
module.exports = {
  rootDir: '../..',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  transform: {
    '^.+\\.[jt]s$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Dynamic imports name the compiled file, as Node resolves them; here the source answers.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/lib/'],
  // Engine and server round trips on two noisy cores: generous, because no test asserts absolute times.
  testTimeout: 120_000 * Number(process.env.HOURGLASS_TEST_TIME_FACTOR ?? 1),
};
