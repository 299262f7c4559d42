import type { FieldError, InputOf, Operations } from '@roster/contracts';
import type { ContactRow } from '../reading/contact.js';

/** Fields of an update that cannot be changed by it, and that do not have their stored values. */
export function differingFields(
  { contactId, id, createdAt, status }: InputOf<Operations['contacts.update']>,
  stored: Pick<ContactRow, 'created_ms' | 'status'>,
): FieldError[] {
  const errors: FieldError[] = [];
  if (id !== undefined && id !== contactId)
    errors.push({
      pointer: '/id',
      message: 'cannot be changed: omit it, or send the stored value',
    });
  if (createdAt !== undefined && Date.parse(createdAt) !== Math.round(stored.created_ms))
    errors.push({
      pointer: '/createdAt',
      message: 'cannot be changed: omit it, or send the stored value',
    });
  if (status !== undefined && status !== stored.status)
    errors.push({
      pointer: '/status',
      message: `cannot be changed by an update: use POST /v1/contacts/{contactId}/${actions[status]}`,
    });
  return errors;
}

const actions = { subscribed: 'resubscribe', unsubscribed: 'unsubscribe' };
