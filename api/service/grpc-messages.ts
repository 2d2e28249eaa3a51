/**
 * Channel settings for the connection that a `buildApp` client stands on. A page of a run's history is counted in
 * events, whatever their size, and a history grows to 4 MB and some before it is continued as new; with gRPC's own limit
 * of 4 MB for a received message such a run could not be followed.
 */
export const largeMessages = { 'grpc.max_receive_message_length': 64 * 1024 * 1024 } as const;
