/** Which model an example runs on: the one of the environment, else a recording of what a model said. */
import {
  modelOfEnvironment,
  RecordedModel,
  type Model,
  type RecordedTurn,
  type RecordedView,
} from '../../activities/define';

/** The model, and what to say about it in the agent's description. */
export function modelOr(recording: ((view: RecordedView) => RecordedTurn)[]): { model: string | Model; note: string } {
  const model = modelOfEnvironment();
  if (model !== undefined) return { model, note: `On ${model}.` };
  return { model: new RecordedModel(recording), note: 'No key of a model is set: plays recorded model turns.' };
}
