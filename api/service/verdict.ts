import { QUERIES } from '../../workflows/contract';
import type { TemporalGateway } from './gateway';

const TRIES = 5;
const BETWEEN_TRIES_MS = 100;

/**
 * What a run's workflow said of a signal that it was sent before. The query is served after the signal; only a change of
 * execution needs another try. Its `outcome` is null when it is not known after all tries.
 */
export async function verdictOf<Reply extends { outcome: unknown }>(
  gateway: TemporalGateway,
  runId: string,
  query: 'answerOutcome' | 'claimOutcome',
  args: object,
  tries: number = TRIES,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await gateway.query<Reply>(runId, QUERIES[query].name, args);
    if (reply.outcome || attempt === tries) return reply;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
}
