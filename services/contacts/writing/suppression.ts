import type { Notice } from '@roster/contracts';

/**
 * An expression: whether the address is suppressed, also by what was committed while the statement waited for its turn. One look-up
 * in an index.
 */
export const isSuppressed = (workspaceId: string, emailKey: string): string =>
  `contacts.is_suppressed(${workspaceId}, ${emailKey})`;

export const suppressedNotice: Notice = {
  code: 'suppressed',
  message:
    'The address is suppressed: the contact is unsubscribed. POST /v1/contacts/{contactId}/resubscribe subscribes it.',
};
