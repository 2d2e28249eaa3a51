/** The wire contract: everything that callers, the workflow and the API agree on. */
export * from './answer';
export * from './asks';
export * from './attachments';
export * from './claims';
export * from './durations';
export * from './errors';
export * from './events';
export * from './ids';
export * from './json';
export * from './limits';
export * from './messages';
export * from './modes';
export * from './question';
export * from './run';
export * from './text';
export * from './tool-results';
export * from './transcript';
