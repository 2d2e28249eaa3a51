/** Workflow interceptors of a team's own: they note what passes by. */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { setHandler, defineQuery } from '@temporalio/workflow';

export const interceptors: WorkflowInterceptorsFactory = () => {
  const passed: string[] = [];
  return {
    inbound: [
      {
        execute: async (input, next) => {
          setHandler(defineQuery<string[]>('passed'), () => passed);
          return next(input);
        },
        handleSignal: async (input, next) => {
          passed.push(`signal ${input.signalName}`);
          return next(input);
        },
        handleQuery: async (input, next) => next(input),
      },
    ],
    outbound: [
      {
        scheduleActivity: async (input, next) => {
          passed.push(`activity ${input.activityType}`);
          return next(input);
        },
      },
    ],
  };
};
