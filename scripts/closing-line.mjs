// The last line of CI: `N passed, N failed`, from the file that `jest --json --outputFile` wrote. A suite that could not run at all
// counts as one failure, and so does a Jest that left no file. Exit code 1 unless something passed and nothing failed.
import { readFileSync } from 'node:fs';

const [file, jestExitCode] = process.argv.slice(2);

function counts() {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: result.numPassedTests, failed: result.numFailedTests + result.numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const { passed, failed } = counts();
// Jest can also fail over something that is no test: a teardown, a threshold.
const unexplained = failed === 0 && jestExitCode !== '0' ? 1 : 0;
console.log(`${passed} passed, ${failed + unexplained} failed`);
process.exitCode = failed + unexplained > 0 || passed === 0 ? 1 : 0;
