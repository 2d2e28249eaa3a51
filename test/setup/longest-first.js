/**
 * The order of test files: those that wait most for processes and for time to pass come first, so that no long one is left to
 * run alone at the end. A clean machine knows no durations of earlier runs.
 */
const { statSync } = require('node:fs');

/** By how a file's path begins below `test/`, longest first; all others follow by size. */
const LONGEST = [
  'e2e/crash-around-answer',
  'e2e/',
  'cases/c07',
  'cases/c05',
  'cases/c16',
  'cases/c18',
  'workflows/escalation',
  'browser/',
  'cases/',
];

class LongestFirst {
  sort(tests) {
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((start) => path.replaceAll('\\', '/').includes(`/test/${start}`));
      return at < 0 ? LONGEST.length : at;
    };
    const size = new Map(tests.map((test) => [test, statSync(test.path).size]));
    return [...tests].sort((a, b) => rank(a) - rank(b) || size.get(b) - size.get(a));
  }

  shard(tests, { shardIndex, shardCount }) {
    return this.sort(tests).filter((_test, at) => at % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}

module.exports = LongestFirst;
