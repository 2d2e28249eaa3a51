// What is recorded: each scenario drives runs through a real server and returns which executions to keep, by part name.
// A history is kept for ever, so a scenario is never changed once it is released: a new behaviour is a new scenario.

const ask = (question = 'What do you think?') => ({ tool: 'ask_a_human', args: { kind: 'free_form', question } });
const choice = (...options) => ({
  tool: 'ask_a_human',
  args: { kind: 'multiple_choice', question: 'Which?', options },
});
const effect = (name) => ({ tool: 'record_effect', args: { name } });
const sleep = (ms) => ({ tool: 'sleep', args: { ms } });
const delegate = (input, more = {}) => ({ tool: 'delegate', args: { agent: 'scripted', input, ...more } });
const collect = { tool: 'collect', args: {} };
const script = (...turns) => ({ turns: turns.map((turn) => ({ calls: [turn].flat() })), text: 'done' });
const text = (answer) => ({ kind: 'free_form', text: answer });

/** Starts a run and sees it through its asks, one answer each. */
async function answered(stack, input, answers, more) {
  const runId = await stack.start(input, more);
  for (const [k, answer] of answers.entries()) {
    await stack.untilWaiting(runId, `q${k + 1}`);
    await stack.resume(runId, answer);
  }
  await stack.untilEnded(runId);
  return { run: runId };
}

export const scenarios = {
  'direct-ask-answered': (stack) => answered(stack, script(choice('Approve', 'Refuse')), [option('q1_o2')]),
  'direct-ask-written-in': (stack) =>
    answered(stack, script(choice('A', 'B'), ask()), [
      { ...option('other'), other_text: ' neither 😀 ' },
      text('fine'),
    ]),
  'direct-ask-declined': (stack) => answered(stack, script(ask()), [{ kind: 'decline', reason: 'not my call' }]),
  'mode-none': (stack) => answered(stack, script([ask(), delegate(script(ask()))]), [], { on_question: 'none' }),
  'mode-auto': (stack) => answered(stack, script([ask(), delegate(script(ask()))]), [], { on_question: 'auto' }),
  'two-asks-in-one-turn': (stack) =>
    answered(stack, script([choice('A', 'B'), ask()], choice('Other')), [option('q1_o1')]),
  'record-effect': (stack) => answered(stack, script([effect('paid'), effect('paid'), effect('sent')], effect('')), []),
  sleep: (stack) => answered(stack, script([sleep(200), ask()], sleep(-1)), [text('go on')]),
  'unknown-tool': (stack) => answered(stack, script({ tool: 'no_such_tool', args: {} }), []),

  async 'cancelled-while-paused'(stack) {
    const runId = await stack.start(script([ask(), sleep(600_000)]));
    await stack.untilWaiting(runId, 'q1');
    await stack.cancel(runId);
    await stack.untilEnded(runId);
    return { run: runId };
  },

  async family(stack) {
    const input = script([delegate(script([delegate(script(ask('Grandchild?'))), ask('Child?')])), ask('Parent?')]);
    const parent = await stack.start(input);
    const [child] = await stack.untilChildren(parent, 1);
    const [grandchild] = await stack.untilChildren(child, 1);
    for (const runId of [grandchild, parent, child]) {
      await stack.untilWaiting(runId, 'q1');
      await stack.resume(runId, text('yes'));
    }
    await stack.untilEnded(parent);
    return { parent, child, grandchild };
  },

  async 'family-cancelled'(stack) {
    const parent = await stack.start(script([delegate(script(delegate(script(ask())))), ask()]));
    const [child] = await stack.untilChildren(parent, 1);
    const [grandchild] = await stack.untilChildren(child, 1);
    await stack.untilAwaiting(parent, 1);
    await stack.cancel(parent);
    await stack.untilEnded(parent);
    return { parent, child, grandchild };
  },

  async 'child-ended-early'(stack) {
    const parent = await stack.start(script([delegate(script(ask())), delegate({ turns: 'malformed' })]));
    await stack.untilAwaiting(parent, 1);
    const asking = await stack.childAwaiting(parent);
    await stack.terminate(asking);
    await stack.untilEnded(parent);
    return { parent };
  },

  async 'background-collect'(stack) {
    const background = { background: true };
    const parent = await stack.start(
      script([delegate(script(ask()), background), delegate(script(), background)], collect),
    );
    await stack.untilAwaiting(parent, 1);
    const asking = await stack.childAwaiting(parent);
    await stack.resume(asking, text('yes'));
    await stack.untilEnded(parent);
    return { parent, child: asking };
  },

  async 'raw-signal-answer'(stack) {
    const runId = await stack.start(script(ask(), ask()));
    await stack.untilWaiting(runId, 'q1');
    await stack.signal(runId, { nonsense: true });
    await stack.signalBytes(runId, 'unknown/encoding', 'x');
    await stack.signal(runId, text('a bare body'));
    await stack.untilWaiting(runId, 'q2');
    await stack.signal(runId, { input: text('late'), ask_id: 'q1' });
    await stack.signal(runId, { input: text('as the Web UI shows it'), ask_id: 'q2' });
    await stack.untilEnded(runId);
    return { run: runId };
  },

  async claimed(stack) {
    const runId = await stack.start(script(ask(), ask()));
    await stack.untilWaiting(runId, 'q1');
    await stack.claim(runId, 'q1', '1h');
    await stack.signal(runId, { input: text('of nobody by name'), ask_id: 'q1' });
    await stack.release(runId, 'q1');
    await stack.claim(runId, 'q1', '1h');
    await stack.resume(runId, text('of the holder'));
    await stack.untilWaiting(runId, 'q2');
    await stack.claim(runId, 'q2', '1s');
    await stack.untilClaimIsOver(runId);
    await stack.signal(runId, { input: text('of anybody'), ask_id: 'q2' });
    await stack.untilEnded(runId);
    return { run: runId };
  },

  async 'started-by-hand'(stack) {
    const runId = await stack.startByHand({ agent: 'scripted', input: script(ask()) });
    await stack.untilWaiting(runId, 'q1');
    await stack.signal(runId, text('hello'));
    await stack.untilEnded(runId);
    return { run: runId };
  },

  async 'continue-as-new'(stack) {
    const eager = await stack.continuingAfter(20);
    const input = script(ask(), [ask(), delegate(script(), { background: true })], effect('paid'), ask(), collect);
    const { run } = await answered(eager, input, [text('1'), text('2'), text('3')]);
    return Object.fromEntries((await eager.executions(run)).map((execution, k) => [`execution-${k + 1}`, execution]));
  },

  'example-invoice-approver': (stack) =>
    answered(stack, { invoice: 'INV-1042' }, [option('q1_o1')], { agent: 'invoice-approver' }),

  async 'example-market-brief'(stack) {
    const parent = await stack.start({ market: 'office plants' }, { agent: 'market-brief' });
    const [competitors, demand] = await stack.untilChildren(parent, 2);
    const asking = await stack.untilAwaiting(parent, 1).then(() => stack.childAwaiting(parent));
    await stack.resume(asking, option('q1_o1'));
    await stack.untilEnded(parent);
    return { parent, 'first-child': competitors, 'second-child': demand };
  },

  'example-release-manager': (stack) =>
    answered(
      stack,
      { version: '1.4.0' },
      [
        { ...option('other'), other_text: '{"version":"1.4.0","environment":"production","traffic_percent":0}' },
        { ...option('other'), other_text: '{"version":"1.4.0","environment":"production","traffic_percent":5}' },
        { ...option('other'), other_text: 'not before Monday' },
      ],
      { agent: 'release-manager' },
    ),

  async 'pausable-ask'(stack) {
    const team = await stack.team();
    const runId = await team.begin('keptAsk', 'Which?');
    await team.untilWaiting(runId, 'q1');
    await team.resume(runId, { ...option('other'), other_text: 'neither' });
    await team.untilWaiting(runId, 'q2');
    await team.resume(runId, { kind: 'decline', reason: 'not my call' });
    await team.untilEnded(runId);
    return { run: runId };
  },

  async 'pausable-steps'(stack) {
    const team = await stack.team();
    const runId = await team.begin('keptSteps');
    await team.untilWaiting(runId, 'q1');
    await team.resume(runId, text('no'));
    await team.untilEnded(runId);
    return { run: runId };
  },

  async 'pausable-delegation'(stack) {
    const team = await stack.team();
    const parent = await team.begin('keptDelegation', team.taskQueue);
    await team.untilAwaiting(parent, 2);
    const [agent, workflow] = await team.untilChildren(parent, 2);
    await team.resume(agent, text('yes'));
    await team.resume(workflow, option('q1_o1'));
    await team.untilWaiting(workflow, 'q2');
    await team.resume(workflow, text('because'));
    await team.untilEnded(parent);
    return { parent, agent, workflow };
  },

  async 'pausable-cancelled'(stack) {
    const team = await stack.team();
    const parent = await team.begin('keptDelegation', team.taskQueue);
    await team.untilAwaiting(parent, 2);
    const [agent, workflow] = await team.untilChildren(parent, 2);
    await team.cancel(parent);
    await team.untilEnded(parent);
    return { parent, agent, workflow };
  },

  async 'pausable-failed'(stack) {
    const team = await stack.team();
    const runId = await team.begin('keptFailure');
    await team.untilWaiting(runId, 'q1');
    await team.resume(runId, text('no'));
    await team.untilEnded(runId);
    return { run: runId };
  },

  async 'pausable-continued'(stack) {
    const team = await stack.team();
    const runId = await team.begin('keptContinued', 1);
    for (const askId of ['q1', 'q2']) {
      await team.untilWaiting(runId, askId);
      await team.resume(runId, text(askId));
    }
    await team.untilEnded(runId);
    const executions = await team.executions(runId);
    return Object.fromEntries(executions.map((execution, k) => [`execution-${k + 1}`, execution]));
  },
};

function option(optionId) {
  return { kind: 'multiple_choice', option_id: optionId };
}
