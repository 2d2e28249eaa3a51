/** `holdpoint/client`: the API as a typed object, for browsers and Node. */
export * from './client';
export * from './errors';
export type { ConnectionState, WatchOptions } from './stream';
export type { CallOptions, ClientOptions } from './transport';
export * from './types';
export type { WatchRunOptions } from './watch';
