import { builtinModules } from 'node:module';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

// The arrows between the rooms of this repository: which folder may import which. One `room()` per folder; where two match a
// file the later one replaces the earlier, so each is written out whole.

/** Forbids an import; `types: true` still lets `import type` through. */
const ban = (regex, message, types = false) => ({ regex, message, allowTypeImports: types });
/** Relative imports that reach one of these top-level folders. */
const folders = (...names) => `^(\\.\\./)+(${names.join('|')})(/|$)`;

const nobodyImportsApi = ban(folders('api'), 'only cli (and tests) compose the API');
const noNode = [
  ban('^node:', 'workflow code runs in a sandbox: no Node modules'),
  ban(
    `^(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`,
    'workflow code runs in a sandbox: no Node modules',
  ),
];
const sandbox = [
  ...noNode,
  ban('^@temporalio/(?!workflow$|common$)', 'workflow code imports @temporalio/workflow and @temporalio/common only'),
  ban(
    folders('api', 'cli', 'worker', 'console', 'examples', 'scripts', 'test'),
    'workflows import contract and types of activities only',
  ),
  ban(folders('activities'), 'workflows know activities by type only: use `import type`', true),
];

const room = (files, ...patterns) => ({
  files,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
});

const arrows = [
  room(['workflows/**/*.ts'], ...sandbox),
  room(
    ['workflows/state/**/*.ts'],
    ...sandbox,
    ban('^@temporalio/', 'the state of a run is plain classes, tested with no server: no Temporal import'),
  ),
  room(
    ['workflows/contract/**/*.ts'],
    ban(
      '^(?!zod$|zod/|@temporalio/(common|workflow)$|\\./|\\.$)',
      'contract imports zod, @temporalio/common|workflow and itself only',
    ),
  ),
  room(
    ['activities/**/*.ts'],
    ban(folders('api', 'cli', 'worker', 'examples'), 'activities import neither api, cli nor worker'),
  ),
  room(['worker/**/*.ts'], ban(folders('api', 'cli', 'examples'), 'worker imports neither api nor cli')),
  room(
    ['api/**/*.ts'],
    ban('^(\\.\\./)+workflows(?!/contract(/|$))', 'api imports workflows/contract only'),
    ban('^(\\.\\./)+activities(?!/agents)', 'api imports the registry of agents (activities/agents) only'),
    ban(folders('worker', 'cli', 'examples'), 'api imports neither worker nor cli'),
    ban(
      '^@temporalio/(worker|workflow|activity|testing)$',
      'the API is a client of Temporal: @temporalio/client and common',
    ),
  ),
  room(
    ['client/**/*.ts'],
    ban('^(?!\\./|(\\.\\./)+workflows/contract(/|$))', 'the client imports nothing at run time: pages load it whole'),
    ban('^(\\.\\./)+workflows/contract(/|$)', 'the client takes types of the contract only: use `import type`', true),
  ),
  room(
    ['console/**/*.ts'],
    ban(
      '^(?!lit$|lit/|marked$|\\./|(\\.\\./)+(net|widget|app|client|parts|pages)(/|$)|(\\.\\./)+workflows/contract(/|$)|\\.\\./[\\w-]+$)',
      'the console imports lit, marked, the client, and of the contract its types and its rules about text',
    ),
    ban(
      '^(\\.\\./)+workflows/contract(?!/(text|ids|limits)$)',
      'the console takes types of the contract, and what needs no zod: text, ids, limits',
      true,
    ),
  ),
  room(['examples/**/*.ts'], nobodyImportsApi),
];

const nodeGlobals = Object.fromEntries(
  [
    'console',
    'process',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'URL',
    'fetch',
    'Buffer',
    'performance',
    'AbortController',
    'AbortSignal',
  ].map((name) => [name, 'readonly']),
);

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'node_modules/',
      '.holdpoint/',
      'test/histories/',
      'examples/existing-temporal-project/',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A promise nobody waits for in workflow code is lost work, or a replay that differs.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      // An interface asks for a promise; its simplest implementation has nothing to await.
      '@typescript-eslint/require-await': 'off',
    },
  },
  ...arrows,
  {
    files: ['client/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'Buffer',
        'require',
        '__dirname',
        '__filename',
        'global',
        'setImmediate',
      ],
    },
  },
  {
    // Tests read JSON bodies of many shapes; what they assert on is checked when they run.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['**/*.mjs'], languageOptions: { globals: nodeGlobals } },
  {
    files: ['**/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { ...nodeGlobals, module: 'writable', require: 'readonly', __dirname: 'readonly' },
    },
  },
);
