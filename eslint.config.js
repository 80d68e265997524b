const js = require('@eslint/js');
const tseslint = require('typescript-eslint');
const importX = require('eslint-plugin-import-x');

const SIZE_RULES = {
  'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  complexity: ['error', 15],
};

const NODE_BUILTINS = ['node:*', 'fs', 'path', 'os', 'child_process', 'crypto', 'http', 'net', 'stream'];

/** Modules that one file alone may import, so that a change of library is a change of one file. */
const SOLE_IMPORTERS = [
  { module: 'dockerode', file: 'src/engine/container/docker-client.ts' },
  { module: 'lmdb', file: 'src/leases/lmdb-lease-store.ts' },
];

module.exports = tseslint.config(
  {
    ignores: [
      'lib/**',
      'coverage/**',
      'node_modules/**',
      'src/runner/guest/**/node_modules/**',
      'examples/programs/**',
      'test/container/programs/*.js',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: __dirname } },
    rules: {
      ...SIZE_RULES,
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      'import-x/no-cycle': ['error', { maxDepth: 8 }],
      'import-x/no-default-export': 'error',
      'no-restricted-imports': [
        'error',
        { paths: SOLE_IMPORTERS.map((rule) => ({ name: rule.module, message: `Import it in ${rule.file} only.` })) },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'The environment is read in src/config/env.ts only.' },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  ...SOLE_IMPORTERS.map((rule) => ({ files: [rule.file], rules: { 'no-restricted-imports': 'off' } })),
  { files: ['src/config/env.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['workflows/**/*.ts', 'src/contract/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: NODE_BUILTINS, message: 'Workflows and the contract are pure: no Node modules.' }] },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-properties': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['**/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        require: 'readonly',
        module: 'writable',
        process: 'readonly',
        __dirname: 'readonly',
        __filename: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        AbortSignal: 'readonly',
        AbortController: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        setImmediate: 'readonly',
        fetch: 'readonly',
      },
    },
    rules: SIZE_RULES,
  },
  {
    files: ['src/runner/guest/**/*.mjs'],
    languageOptions: {
      sourceType: 'module',
      globals: {
        process: 'readonly',
        Buffer: 'readonly',
        globalThis: 'readonly',
        URL: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        setImmediate: 'readonly',
        SharedArrayBuffer: 'readonly',
        TextDecoder: 'readonly',
        TextEncoder: 'readonly',
      },
    },
    rules: SIZE_RULES,
  },
  // Tables of programs: as long as there are behaviours.
  { files: ['test/contract/cases/*.ts', 'test/hostile/attacks.ts'], rules: { 'max-lines': 'off' } },
);
