/** `holdpoint/api`: the HTTP API, on its own (`buildApp`) or mounted in a team's own Fastify server (`holdpointApi`). */
export { buildApp, type AppSettings } from './app';
export { holdpointApi, type HoldpointApiOptions, type HostPrincipal } from './host';
export type { ApiKeySettings, Scope } from './keys';
export { largeMessages } from './service/grpc-messages';
export { quickRetries } from './service/grpc-retries';
export type { StartableAgent } from './service/start';
