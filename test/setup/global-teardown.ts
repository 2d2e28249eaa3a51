/** Once after all suites: stops the server that global-setup.ts started. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.holdpointTestServer?.stop();
}
