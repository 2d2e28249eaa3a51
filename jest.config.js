/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  // test/unit, test/workflows, test/api, test/replay, test/e2e, test/cases: ask for one with `npx jest test/<folder>`.
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Only code is transformed by swc; `tsc --noEmit` checks the types beside it.
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022', keepClassNames: true }, sourceMaps: 'inline' },
    ],
  },
  // The examples' two projects are one project before and after, with one name: two to Jest's module map.
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/.holdpoint/',
    '<rootDir>/examples/existing-temporal-project/',
  ],
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/setup/longest-first.js',
  // Temporal's native runtime keeps a process alive; suites close what they open, and this ends the rest.
  forceExit: true,
  // Real servers and processes on two busy cores: a limit for what hangs, not for what is slow.
  testTimeout: 300_000,
};
