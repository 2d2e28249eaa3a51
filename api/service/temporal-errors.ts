/** Temporal's errors as the API tells them. */
import {
  isGrpcServiceError,
  NamespaceNotFoundError,
  QueryNotRegisteredError,
  QueryRejectedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { engineUnavailable, runNotFound } from '../errors';

// gRPC status codes.
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

/** What the caller is told. Whatever is not understood is returned as it is, and becomes a 500 in the log. */
export function apiErrorOfTemporal(error: unknown): unknown {
  // The whole server is of no use then, not one run.
  if (error instanceof NamespaceNotFoundError) return engineUnavailable(error);
  if (error instanceof WorkflowNotFoundError) return runNotFound();
  // A workflow that knows none of our queries is none of our runs.
  if (error instanceof QueryNotRegisteredError) return runNotFound();
  if (error instanceof QueryRejectedError) return engineUnavailable(error);
  const service = grpcErrorOf(error);
  if (!service) return error;
  if (service.code === NOT_FOUND && !/namespace/i.test(service.details)) return runNotFound();
  // A name that the server's own rules refuse cannot be a run's.
  if (service.code === INVALID_ARGUMENT && /workflow ?id/i.test(service.details)) return runNotFound();
  return engineUnavailable(error);
}

/** True when a query found a workflow that was ended before any worker had taken it up: there is nobody to ask. */
export function hasEndedUnbegun(error: unknown): boolean {
  const service = grpcErrorOf(error);
  return service?.code === FAILED_PRECONDITION && /closed before/i.test(service.details);
}

function grpcErrorOf(error: unknown): { code: number; details: string } | undefined {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if (isGrpcServiceError(current)) return { code: current.code, details: current.details };
  }
  return undefined;
}
