/** Names of what the workflows count: they measure, and whoever runs the worker sets their buckets up. */
export const ASK_METRICS = {
  opened: 'holdpoint_asks_opened_total',
  answered: 'holdpoint_asks_answered_total',
  unanswered: 'holdpoint_asks_unanswered_total',
  rejected: 'holdpoint_answers_rejected_total',
  timeToAnswer: 'holdpoint_ask_time_to_answer_seconds',
} as const;

/** People take seconds, or days. */
export const TIME_TO_ANSWER_BUCKETS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 259_200, 604_800];
