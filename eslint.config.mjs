import { readFileSync } from 'node:fs';
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import { moduleBoundaries } from './tools/eslint/module-boundaries.mjs';
import { noStrayErrors } from './tools/eslint/no-stray-errors.mjs';
import { noUncheckedCasts } from './tools/eslint/no-unchecked-casts.mjs';
import { noProcessEnv } from './tools/eslint/no-process-env.mjs';

const remainingCasts = JSON.parse(readFileSync(new URL('tools/eslint/remaining-casts.json', import.meta.url), 'utf8'));
const plugin = {
  rules: {
    'module-boundaries': moduleBoundaries,
    'no-stray-errors': noStrayErrors,
    'no-process-env': noProcessEnv,
    'no-unchecked-casts': noUncheckedCasts,
  },
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/.nx/**', '**/.data/**', 'coverage/**'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    plugins: { groupware: plugin },
    languageOptions: { parserOptions: { projectService: false } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'off',
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' }],
      'groupware/module-boundaries': 'error',
    },
  },
  {
    // Patterns meet texts of strangers: one that tries each start of a run anew holds the event loop for minutes.
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'certain' }],
      'regexp/no-super-linear-move': ['error', { ignoreSticky: true }],
    },
  },
  {
    // Rules that need types: what is awaited, thrown or asserted.
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts', 'e2e/**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
    },
  },
  {
    files: ['apps/*/src/**/*.ts'],
    // The host and the command line talk to operators, not to clients.
    ignores: ['**/*.spec.ts', '**/testing/**', 'apps/host/**', 'apps/svcctl/**'],
    plugins: { groupware: plugin },
    rules: { 'groupware/no-stray-errors': 'error' },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: [
      '**/*.spec.ts',
      '**/testing/**',
      'libs/test-kit/**',
      'libs/service-kit/src/config/**',
      'apps/svcctl/**',
      'apps/host/src/main.ts',
    ],
    plugins: { groupware: plugin },
    rules: { 'groupware/no-process-env': 'error' },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testing/**', 'libs/test-kit/**'],
    plugins: { groupware: plugin },
    rules: { 'groupware/no-unchecked-casts': ['error', remainingCasts] },
  },
  {
    files: ['**/*.spec.ts', '**/testing/**/*.ts', 'e2e/**/*.ts', 'libs/test-kit/**/*.ts'],
    rules: { '@typescript-eslint/no-explicit-any': 'off', '@typescript-eslint/no-empty-function': 'off' },
  },
  {
    files: ['**/*.{mjs,cjs,js}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'Buffer',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'setImmediate',
          'performance',
          'fetch',
          'URL',
          'URLSearchParams',
          'AbortController',
          'AbortSignal',
          'TextEncoder',
          'TextDecoder',
          'require',
          'module',
          'exports',
          '__dirname',
          '__filename',
          'globalThis',
          'structuredClone',
          'FormData',
          'Blob',
          'document',
          'window',
          'localStorage',
          'sessionStorage',
          'location',
          'queueMicrotask',
          'crypto',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  prettier,
);
