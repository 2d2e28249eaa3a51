/**
 * What all runs of a worker share: evaluated once a worker instead of in the first workflow task of every run
 * (docs/cost.md). The contract holds no state of a run, so sharing it is safe.
 */
import * as contract from './contract';
import * as answer from './contract/answer';
import * as approvals from './contract/approvals';
import * as askTool from './contract/ask-tool';
import * as asks from './contract/asks';
import * as attachments from './contract/attachments';
import * as claims from './contract/claims';
import * as definitions from './contract/definitions';
import * as durations from './contract/durations';
import * as errors from './contract/errors';
import * as events from './contract/events';
import * as ids from './contract/ids';
import * as json from './contract/json';
import * as limits from './contract/limits';
import * as messages from './contract/messages';
import * as metrics from './contract/metrics';
import * as modes from './contract/modes';
import * as plainText from './contract/plain-text';
import * as question from './contract/question';
import * as run from './contract/run';
import * as text from './contract/text';
import * as timeline from './contract/timeline';
import * as toolResults from './contract/tool-results';
import * as transcript from './contract/transcript';

// The SDK freezes what is shared, deeply, but stops at what is frozen already. zod's schemas write to themselves on
// first use, so they must not be reached: each module is closed here, and its schemas stay as they are.
for (const module of [
  contract,
  answer,
  approvals,
  askTool,
  asks,
  attachments,
  claims,
  definitions,
  durations,
  errors,
  events,
  ids,
  json,
  limits,
  messages,
  metrics,
  modes,
  plainText,
  question,
  run,
  text,
  timeline,
  toolResults,
  transcript,
]) {
  Object.freeze(module);
}
