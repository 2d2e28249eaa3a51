/** The module that a page loads: defines `<holdpoint-ask>`. Loading it twice does no harm. */
import { HoldpointAsk } from './holdpoint-ask';

if (!customElements.get('holdpoint-ask')) customElements.define('holdpoint-ask', HoldpointAsk);

export { HoldpointAsk };
export { ENGLISH, type AskStrings } from './strings';
export type { AnsweredDetail, AskEvents, ClosedDetail, RefusedDetail } from './events';
