import { z } from 'zod';

/** What of a write of a contact was not applied as requested, although the rest was. */
export const noticeCodes = ['not_resubscribed', 'suppressed'] as const;
export type NoticeCode = (typeof noticeCodes)[number];

const notice = z
  .object({
    code: z.enum(noticeCodes),
    message: z.string(),
  })
  .meta({ id: 'Notice', description: 'What was not applied as requested.' });
export type Notice = z.output<typeof notice>;

/** Last in a result: see `resultTagOf` of the gateway. */
export const notices = z.array(notice).optional().meta({
  maxItems: noticeCodes.length,
  description: 'What was not applied as requested, although the rest was. Otherwise absent.',
});
