/** Bodies and replies of the Agent Mission Control endpoints: the seed "Ask a person mid-run", field by field. */
import { z } from 'zod';
import { LIMITS, stepStatusSchema } from '../../workflows/contract';

/** A run's status as Mission Control knows it. */
export const missionStatusSchema = z.enum(['running', 'human_intervention', 'completed', 'failed', 'cancelled']);

const stepSchema = z.strictObject({
  stepId: z.string(),
  name: z.string(),
  status: stepStatusSchema,
  startedAt: z.string(),
  tokenCount: z.number().int(),
  delivered: z.string().optional().meta({ description: 'On the waiting step: the question and its options.' }),
});
export type MissionStep = z.infer<typeof stepSchema>;

/** `GET /runs/{id}/status`, and the reply to a message. */
export const runStatusSchema = z
  .strictObject({
    orchestratorRunId: z.string(),
    status: missionStatusSchema,
    currentStep: z.number().int().meta({ description: 'Counts from 1; 0 while no step is known.' }),
    totalSteps: z.number().int(),
    steps: z.array(stepSchema),
    assigneeRef: z.string().optional().meta({ description: 'Left out when nobody is assigned.' }),
  })
  .meta({ id: 'MissionRunStatus' });
export type MissionRunStatus = z.infer<typeof runStatusSchema>;

/**
 * Body of `POST /runs/{id}/messages`. Fields that are not known are let be: the platform that sends it may grow, and
 * refusing a person's answer over that would help nobody. Known ones are checked, never converted.
 */
export const messageBody = z
  .looseObject({
    orchestratorRunId: z.string().nullish().meta({ description: 'If sent, the run of the path.' }),
    stepId: z.string().nullish().meta({ description: 'If sent, the step that waits.' }),
    message: z.string().default('').meta({ description: 'The reply. Checked once the run is found and waits.' }),
    attachments: z
      .array(
        z.looseObject({
          kind: z.string().nullish(),
          filename: z.string(),
          mediaType: z.string().nullish(),
          sizeBytes: z.number().int().nonnegative().nullish(),
        }),
      )
      .max(LIMITS.attachments)
      .nullish(),
  })
  .meta({ id: 'MissionMessage' });
export type MessageBody = z.infer<typeof messageBody>;

const eventSchema = z
  .strictObject({
    id: z.number().int(),
    type: z.string(),
    orchestratorRunId: z.string(),
    timestamp: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'MissionEvent', description: 'An event of the run; its data has the same fields, in camel case.' });
export type MissionEvent = z.infer<typeof eventSchema>;

/** `GET /runs/{id}/events` as one page. */
export const missionEventList = z.strictObject({
  orchestratorRunId: z.string(),
  events: z.array(eventSchema),
  firstEventId: z.number().int(),
  lastEventId: z.number().int(),
  hasMore: z.boolean(),
});
