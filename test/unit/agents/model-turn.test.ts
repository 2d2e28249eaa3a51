/** What a model turn makes of a model that is code, and of an agent that this worker lacks. */
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Agent, ModelTurnRequest, ModelTurnResult } from '../../../activities/model';
import { createModelTurn } from '../../../activities/model-turn';

const request: ModelTurnRequest = {
  agent: 'coded',
  run_id: 'run_1',
  input: null,
  turn: 0,
  definition: null,
  messages: [],
};
const saying = (reply: unknown) =>
  new Map([['coded', { name: 'coded', description: 'code', model: { respond: async () => reply } } as never]]);

const turnOf = (agents: ReadonlyMap<string, Agent>, more: object = {}): Promise<ModelTurnResult> =>
  new MockActivityEnvironment().run(createModelTurn({ agents }), { ...request, ...more } as never);
const failureOf = async (turn: Promise<unknown>) => {
  const error = await turn.then(
    () => null,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(ApplicationFailure);
  const { type, message, nonRetryable, nextRetryDelay } = error as ApplicationFailure;
  return { type, message, nonRetryable, nextRetryDelay };
};

describe('a model that is code', () => {
  test.each([
    [{ text: 'bye' }, { text: 'bye', calls: [], final: true, tokens: 0 }],
    [{ calls: [] }, { text: null, calls: [], final: true, tokens: 0 }],
    [
      { text: 'so far', final: false, tokens: 7 },
      { text: 'so far', calls: [], final: false, tokens: 7 },
    ],
  ])('%j is whole', async (reply, whole) => {
    expect(await turnOf(saying(reply))).toMatchObject(whole);
  });

  test.each([
    [undefined],
    [null],
    ['bye'],
    [{ text: 42 }],
    [{ calls: {} }],
    [{ calls: [{ tool: 'sleep' }] }],
    [{ tokens: -1 }],
  ])('%j ends the run at once, with words', async (reply) => {
    const failure = await failureOf(turnOf(saying(reply)));
    expect(failure).toMatchObject({ type: 'invalid_model_reply', nonRetryable: true });
    expect(failure.message).toMatch(/^respond\(\) of coded must return \{text, calls, final, tokens\}; at /);
  });
});

describe('an agent that this worker lacks', () => {
  test('ends a run that begins, and says which it is', async () => {
    expect(await failureOf(turnOf(new Map()))).toMatchObject({
      type: 'unknown_agent',
      message: 'unknown agent coded; this worker has: none',
      nonRetryable: true,
    });
  });

  test('leaves a run that has begun to a worker that has it', async () => {
    const definition = { instructions: '', tools: [] };
    expect(await failureOf(turnOf(new Map(), { definition, turn: 1 }))).toMatchObject({
      type: 'unknown_agent',
      nonRetryable: false,
      nextRetryDelay: '5 minutes',
    });
  });
});
