// The bare Temporal workflow that the bench compares with: step, ask, wait for a signal, step, end. No Holdpoint in it.
const {
  condition,
  defineQuery,
  defineSignal,
  proxyActivities,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
} = require('@temporalio/workflow');
const { defineSearchAttributeKey } = require('@temporalio/common');

const { ask } = proxyActivities({ startToCloseTimeout: '1 minute' });
const { step } = proxyActivities({ startToCloseTimeout: '1 minute' });
const answer = defineSignal('answer');
const outcome = defineQuery('outcome');
const status = defineSearchAttributeKey('HoldpointStatus', 'KEYWORD');

/** `shows`: also writes a memo and a search attribute at each change, as whoever wants lists and reads has to. */
exports.bareRun = async function bareRun({ shows }) {
  let pending = null;
  let taken = null;
  setHandler(answer, (payload) => {
    if (pending && !taken) taken = payload;
  });
  setHandler(outcome, (id) => ({ pending, taken: taken?.id === id }));
  const show = (value) => {
    if (!shows) return;
    upsertMemo({ state: { pending } });
    upsertSearchAttributes([{ key: status, value }]);
  };
  await step('first');
  pending = { question: 'Which quarter?' };
  show('awaiting_input');
  await condition(() => taken !== null);
  pending = null;
  show('running');
  await step('second');
  return taken;
};

/** One bare model turn. */
exports.bareTurn = async function bareTurn(model) {
  return ask(model);
};
