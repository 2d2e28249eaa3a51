/** How a failure of Temporal's is told when time or a worker ran out. */
import {
  ActivityFailure,
  ChildWorkflowFailure,
  RetryState,
  TimeoutFailure,
  type TimeoutType,
} from '@temporalio/common';
import { runErrorOf } from '../../../workflows/failures';

const timeout = (type: TimeoutType) => new TimeoutFailure('timed out', undefined, type);
const activity = (type: TimeoutType) =>
  new ActivityFailure('failed', 'modelTurn', '1', RetryState.MAXIMUM_ATTEMPTS_REACHED, undefined, timeout(type));
const child = (type: TimeoutType) =>
  new ChildWorkflowFailure('default', { workflowId: 'w' }, 'agentRun', RetryState.TIMEOUT, timeout(type));

describe('a timeout', () => {
  test('of heartbeats is a worker that was lost, not a lack of time', () => {
    expect(runErrorOf(activity('HEARTBEAT'))).toEqual({
      code: 'worker_lost',
      message: 'its worker gave no more sign of life: it ended or hung',
    });
  });

  test.each([activity('START_TO_CLOSE'), child('START_TO_CLOSE')])('of anything else is a lack of time', (failure) => {
    expect(runErrorOf(failure)).toEqual({ code: 'timed_out', message: 'did not end in the time it had' });
  });
});
