import type { Notice } from '@roster/contracts';

/**
 * An expression for the status after an update: an update unsubscribes, but subscribes nobody again.
 *
 * @param input relation with the requested status, or null
 * @param stored relation of the contact
 */
export const changedStatus = (input: string, stored: string): string =>
  `case when ${input}.status = 'unsubscribed' then ${input}.status else ${stored}.status end`;

/** An expression for the kind of the event of an update. */
export const kindOfChange = (row: string): string =>
  `case when ${row}.status = ${row}.was_status then 'CONTACT_UPDATED' else 'CONTACT_UNSUBSCRIBED' end`;

/** @param row the contact afterwards */
export const statusNotices = (
  { status }: { status?: string | undefined },
  row: { status: string },
): Notice[] => (status === 'subscribed' && row.status === 'unsubscribed' ? [notResubscribed] : []);

const notResubscribed: Notice = {
  code: 'not_resubscribed',
  message:
    'The contact remains unsubscribed: only POST /v1/contacts/{contactId}/resubscribe subscribes it again. The other fields were applied.',
};
