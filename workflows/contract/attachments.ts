/** Files that a person attached to an answer: what is told of them, never the files (CONTRACT §7). */
import { z } from 'zod';
import { jsonBytes } from './json';
import { LIMITS } from './limits';
import { looseText, visibleText } from './text';

/** One attached file, by name and size. What a door does not know of it is null. */
export const attachmentSchema = z
  .strictObject({
    /** What it is to the door that took it, such as `file` or `image`. */
    kind: visibleText(LIMITS.attachmentKind),
    filename: visibleText(LIMITS.filename),
    media_type: looseText(LIMITS.mediaType).nullable(),
    size_bytes: z.number().int().nonnegative().nullable(),
  })
  .meta({ id: 'Attachment', description: 'A file that came with an answer: its name and size, never the file.' });
export type Attachment = z.infer<typeof attachmentSchema>;

/**
 * The files of one answer. At most 20 and 32 KiB: they travel with the answer, in a signal to each run above, and there
 * an answer's own 4,000 characters must fit beside them.
 */
export const attachmentsSchema = z
  .array(attachmentSchema)
  .max(LIMITS.attachments)
  .refine((attachments) => jsonBytes(attachments) <= LIMITS.attachmentsBytes, {
    message: `must take at most ${LIMITS.attachmentsBytes} bytes together`,
  });
