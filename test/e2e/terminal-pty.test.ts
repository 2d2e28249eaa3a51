/** The terminal's commands on a real terminal: prompts, keys, colours, and a question that others answer meanwhile. */
import { ownWorkspace, TEST_KEY } from '../support/http';
import { choice, freeForm, freeText, script } from '../support/scripts';
import { TestStack } from '../support/stack';
import { KEY, TerminalProgram, type Env } from '../support/terminal';

describe('the terminal, on a terminal', () => {
  let stack: TestStack;
  let env: Env;
  const programs: TerminalProgram[] = [];
  beforeAll(async () => {
    stack = await TestStack.start({ app: { keys: ownWorkspace() } });
    env = { HOLDPOINT_URL: stack.api.url, HOLDPOINT_API_KEY: TEST_KEY };
  });
  afterAll(async () => {
    for (const program of programs) program.kill();
    await stack.stop();
  });

  const open = (args: string[], more: Env = {}) => {
    const program = TerminalProgram.start(args, { ...env, ...more });
    programs.push(program);
    return program;
  };
  const waiting = (...turns: Parameters<typeof script>[0]) => stack.api.startWaiting(script(turns));
  const results = (runId: string) => stack.api.untilAnswers(runId);

  test('an option is picked with the arrow keys', async () => {
    const runId = await waiting(choice('Lisbon', 'Porto'));
    const answer = open(['answer', runId]);
    await answer.type(KEY.down, /Which one\?[^]*Lisbon[^]*Porto[^]*Other[^]*Decline/);
    await answer.type(KEY.enter, /● Porto/);
    expect(await answer.exited).toBe(0);
    expect(answer.shown).toContain(`answered q1 of ${runId}: Porto`);
    expect(await results(runId)).toEqual([{ answer: 'Porto', option_id: 'q1_o2' }]);
  });

  test('a write-in that is blank is refused at the prompt, and can be mended there', async () => {
    const runId = await waiting(choice('Lisbon', 'Porto'));
    const answer = open(['answer', runId]);
    await answer.type(KEY.down + KEY.down, 'Decline');
    await answer.type(KEY.enter, /● Other/);
    await answer.type(`  ${KEY.enter}`, 'Your answer');
    await answer.type(`Évora 😀${KEY.enter}`, 'must not be blank');
    expect(await answer.exited).toBe(0);
    expect(await results(runId)).toEqual([{ answer: 'Évora 😀', option_id: 'other' }]);
  });

  test('a question without options takes text, and the run waits on after one is declined with a reason', async () => {
    const runId = await waiting(freeForm('Who comes?'), freeForm('And who cooks?'));
    const first = open(['answer', runId]);
    await first.type(KEY.enter, /Who comes\?[^]*Write an answer[^]*Decline/);
    await first.type(`12 people${KEY.enter}`, 'Your answer');
    expect(await first.exited).toBe(0);
    await stack.api.untilWaiting(runId, 'q2');
    const second = open(['answer', runId]);
    await second.type(KEY.down, /And who cooks\?[^]*Decline/);
    await second.type(KEY.enter, /● Decline/);
    await second.type(`not mine to say${KEY.enter}`, 'Why?');
    expect(await second.exited).toBe(0);
    expect(await results(runId)).toEqual([
      { answer: '12 people' },
      { skipped: true, reason: 'human_declined', message: 'not mine to say' },
    ]);
  });

  test.each([
    ['as terminals send it', '\u001b[200~one\r\rtwo 😀\u001b[201~'],
    ['of a terminal that marks no paste', 'one\r\rtwo 😀'],
    ['with line feeds', 'one\n\ntwo 😀'],
  ])('several lines that are pasted are one answer, %s', async (_how, pasted) => {
    const runId = await waiting(freeForm());
    const answer = open(['answer', runId]);
    await answer.type(KEY.enter, /Write an answer[^]*Decline/);
    await answer.type(pasted, 'Your answer');
    await answer.type(`!${KEY.enter}`, 'two 😀');
    expect(await answer.exited).toBe(0);
    expect(await results(runId)).toEqual([{ answer: 'one\n\ntwo 😀!' }]);
  });

  test('who would answer what somebody else has claimed is told before they write', async () => {
    const runId = await waiting(freeForm());
    await stack.client.workflow.getHandle(runId).signal('claim', { ask_id: 'q1', principal: 'bob' });
    const answer = open(['answer', runId]);
    expect(await answer.exited).toBe(4);
    expect(answer.shown).toMatch(/bob has claimed q1 until/);
    expect(answer.shown).not.toContain('Your answer');
    // Later tests list what waits.
    await stack.client.workflow.getHandle(runId).cancel();
    await stack.api.untilEnded(runId);
  });

  test('without an id it offers what waits; a hostile question cannot act upon the terminal', async () => {
    const hostile = 'Pay?\u001b[2J\u001b]0;owned\u0007\u009b31m';
    await waiting(freeForm('The first one?'));
    const runId = await waiting({
      tool: 'ask_a_human',
      args: {
        kind: 'multiple_choice',
        question: hostile,
        options: [`Yes\u001b]52;c;eA==\u0007`, 'No'],
        context: hostile,
      },
    });
    const answer = open(['answer']);
    await answer.type(KEY.down, /Which question\?[^]*The first one\?[^]*Pay\?␛\[2J/);
    await answer.type(KEY.enter, /● Pay\?/);
    await answer.type(KEY.down, /Yes␛\]52;c;eA==␇[^]*Decline/);
    await answer.type(KEY.enter, /● No/);
    expect(await answer.exited).toBe(0);
    // eslint-disable-next-line no-control-regex
    expect(answer.raw).not.toMatch(/\u001b\[2J|\u001b\]|\u0007|\u009b/);
    expect(await results(runId)).toEqual([{ answer: 'No', option_id: 'q1_o2' }]);
  });

  test('when somebody else answers, the prompt closes and says so', async () => {
    const runId = await waiting(freeForm('Who comes?'));
    const answer = open(['answer', runId]);
    await answer.type(KEY.enter, 'Write an answer');
    await answer.type('half an ans', 'Your answer');
    await answer.shows('half an ans');
    await stack.api.resume(runId, freeText('theirs'));
    expect(await answer.exited).toBe(4);
    expect(answer.shown).toContain('somebody else has answered it');
    expect(await results(runId)).toEqual([{ answer: 'theirs' }]);
  });

  test.each(['ctrlC', 'escape'] as const)('%s leaves the question as it is and exits with 130', async (key) => {
    const runId = await waiting(choice('Lisbon', 'Porto'));
    const answer = open(['answer', runId]);
    await answer.type(KEY[key], 'Decline');
    expect(await answer.exited).toBe(130);
    expect((await stack.api.read(runId)).status).toBe('awaiting_input');
  });

  test('a live timeline shows the question, goes on when it is answered, and ends with the run', async () => {
    const runId = await waiting(choice('Lisbon', 'Porto'));
    const run = open(['run', runId]);
    await run.shows(/ask\.opened[^]*Which one\?[^]*q1_o2 +Porto[^]*holdpoint answer/);
    expect(run.raw).toContain('\u001b[3');
    await stack.api.resume(runId, { kind: 'multiple_choice', option_id: 'q1_o1' });
    expect(await run.exited).toBe(0);
    expect(run.shown).toMatch(/ask\.answered +q1: Lisbon[^]*run\.completed/);
  });

  test('a watched inbox shows what opens and what closes, until Ctrl-C', async () => {
    const assignee = `watch-${Date.now()}`;
    const inbox = open(['inbox', '--watch', '--assignee', assignee]);
    await inbox.shows('nothing waits for a person');
    const { run_id } = await stack.api.start(script([freeForm('Who comes?')]), { assignee });
    await inbox.shows(new RegExp(`ask\\.opened +${run_id} q1 Who comes\\?`));
    await stack.api.resume(run_id, freeText('x'));
    await inbox.type(KEY.ctrlC, new RegExp(`ask\\.closed +${run_id} q1`));
    expect(await inbox.exited).toBe(130);
  });

  test('Ctrl-C leaves a timeline, and the run as it is', async () => {
    const runId = await waiting(freeForm());
    const run = open(['run', runId]);
    await run.type(KEY.ctrlC, 'ask.opened');
    expect(await run.exited).toBe(130);
    expect((await stack.api.read(runId)).status).toBe('awaiting_input');
  });

  test.each<[string, string[], Env]>([
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['--no-color', ['--no-color'], {}],
    ['a dumb terminal', [], { TERM: 'dumb' }],
  ])('%s: no colours', async (_what, flags, more) => {
    const runId = await waiting(freeForm());
    const run = open(['run', runId, '--no-follow', ...flags], more);
    expect(await run.exited).toBe(0);
    expect(run.shown).toContain('What do you think?');
    // eslint-disable-next-line no-control-regex
    expect(run.raw).not.toMatch(/\u001b/);
  });

  test('cancel asks first; a no cancels nothing', async () => {
    const runId = await waiting(freeForm());
    const no = open(['cancel', runId]);
    await no.type(KEY.enter, /Cancel run_\w+ \(scripted, awaiting_input\)/);
    expect(await no.exited).toBe(0);
    expect(no.shown).toContain('goes on: nothing was sent');
    expect((await stack.api.read(runId)).status).toBe('awaiting_input');
    const yes = open(['cancel', runId]);
    await yes.type('y', 'sub-agents?');
    expect(await yes.exited).toBe(0);
    expect((await stack.api.untilEnded(runId)).status).toBe('cancelled');
  });
});
