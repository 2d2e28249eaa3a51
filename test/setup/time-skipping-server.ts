import { resolveTestServer } from '../../cli/temporal-cli';

/**
 * Path of the time-skipping test server, fetched at the first call on a machine; for
 * `TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } })`. Its time is global: one
 * environment a file. `HOLDPOINT_TEST_SERVER` names one that is there already.
 */
export async function timeSkippingServerPath(): Promise<string> {
  process.env.HOLDPOINT_TEST_SERVER ??= (await resolveTestServer()).path;
  return process.env.HOLDPOINT_TEST_SERVER;
}
