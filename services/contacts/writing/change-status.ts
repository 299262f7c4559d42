import type { Notice } from '@roster/contracts';
import { isSuppressed, suppressedNotice } from './suppression.js';

/**
 * An expression for the status after an update: an update unsubscribes, also by an address that is suppressed, but subscribes nobody
 * again. Without `coalesce`, every update without an address would look up null.
 *
 * @param input relation with the requested status and key of an address, or null
 * @param stored relation of the contact
 */
export const changedStatus = (input: string, stored: string): string => `case
          when ${input}.status = 'unsubscribed' then ${input}.status
          when ${stored}.status = 'subscribed' and coalesce(${input}.email_key <> ${stored}.email_key, false)
            and ${isSuppressed(`${stored}.workspace_id`, `${input}.email_key`)} then 'unsubscribed'
          else ${stored}.status end`;

/** An expression for the kind of the event of an update. */
export const kindOfChange = (row: string): string =>
  `case when ${row}.status = ${row}.was_status then 'CONTACT_UPDATED' else 'CONTACT_UNSUBSCRIBED' end`;

/** @param row the contact afterwards, and its status before */
export function statusNotices(
  { status }: { status?: string | undefined },
  row: { status: string; was_status: string },
): Notice[] {
  if (row.status !== 'unsubscribed' || status === 'unsubscribed') return [];
  if (row.was_status === 'subscribed') return [suppressedNotice];
  return status === 'subscribed' ? [notResubscribed] : [];
}

const notResubscribed: Notice = {
  code: 'not_resubscribed',
  message:
    'The contact remains unsubscribed: only POST /v1/contacts/{contactId}/resubscribe subscribes it again. The other fields were applied.',
};
