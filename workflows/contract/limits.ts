/**
 * Every limit of the wire contract, in one place. Lengths are in characters, and a character is a Unicode code
 * point (CONTRACT §1), never a UTF-16 unit. Sizes are in bytes of UTF-8.
 */
export const LIMITS = {
  /** `text`, `other_text` and a decline's `reason`. Source: seed "Asking a human", Limits. */
  answerText: 4_000,
  question: 4_000,
  context: 16_000,
  label: 1_000,
  minOptions: 2,
  maxOptions: 6,
  /** Events that a run always keeps (CONTRACT §6). */
  keptEvents: 1_000,
  /** Events of one JSON page, at most. */
  eventPage: 1_000,
  /** Answer outcomes kept for idempotent retries; older ones are forgotten first. */
  keptOutcomes: 1_000,
  /** Outcomes of claims and releases kept until their senders have read them. */
  keptClaims: 100,
  /** Steps that a run keeps for its timeline. */
  keptSteps: 2_000,
  /** What one reply may take of them; older ones that are over are left out of it. */
  stepsBytes: 512 * 1024,
  /** Asks (own and from below) kept with how they ended. */
  keptAsks: 1_000,
  /** Levels of a JSON body: what is deeper would end the stack of whoever walks through it. */
  jsonDepth: 100,
  /** Files named with one answer, and what their names and sizes may take of JSON together. */
  attachments: 20,
  attachmentsBytes: 32 * 1024,
  filename: 255,
  mediaType: 127,
  attachmentKind: 64,
  /** Tool calls of one model turn. */
  callsPerTurn: 200,
  /** An HTTP body. Source: CONTRACT §5. */
  bodyBytes: 256 * 1024,
  /** The body of an AG-UI request: the protocol sends the whole conversation along each time. */
  agUiBodyBytes: 2 * 1024 * 1024,
  /** One tool result in the transcript; a larger one is stored cut, with a note. */
  toolResultBytes: 256 * 1024,
  /** What a model may hand back in one turn; above it the turn is refused, since a payload ends at 2 MB. */
  modelTurnBytes: 768 * 1024,
  /** What the transcript may take of a model turn's request. */
  transcriptBytes: 1024 * 1024,
  /** The arguments of one tool call; larger ones never reach the run. The largest ask fits, were it all six-byte escapes. */
  toolArgsBytes: 160 * 1024,
  /** An agent's definition as its run records it: it goes along with each model turn and through continue-as-new. */
  definitionBytes: 192 * 1024,
  /** What a query hands out in one page, well under the 2 MB at which the server refuses a payload. */
  pageBytes: 1024 * 1024,
  /** What the event log, and likewise the ask list and the transcript, may take with it through continue-as-new. */
  carriedBytes: 400 * 1024,
  /** What all of a run's state may take, so that it fits a 2 MB payload beside the input and, twice, the metadata. */
  carriedStateBytes: 1280 * 1024,
  /** Descendants that wait, as far as they fit the memo; beyond it the record asks the worker. */
  memoChildrenAwaiting: 200,
  /** Levels of sub-agents below the root. */
  depth: 16,
  runId: 64,
  /** Type of a workflow's own event, its prefix included. */
  eventType: 64,
  /** Data of a workflow's own event; larger data is stored cut, with a note. */
  eventBytes: 16 * 1024,
  /** Id of a step that a workflow's author names. */
  stepId: 64,
  agentName: 128,
  assignee: 320,
  /** Runs of one page of the list. */
  listPage: 100,
  /** Asks of one page of the inbox. */
  inboxPage: 200,
  idempotencyKey: 256,
} as const;
