import { changedFields, eventDetails, type EventDetails } from '@roster/contracts';

/** The body of an event of a contact. */
interface ContactBody {
  data: { contact: object };
}

/**
 * The body of an event for webhooks with `payload: "full"`. Undefined if the event has no details: it does not concern a contact.
 */
export function fullBody(body: string, details: string | undefined): string | undefined {
  if (details === undefined) return undefined;
  try {
    const parsed = eventDetails.parse(JSON.parse(details));
    return JSON.stringify(withDetails(JSON.parse(body) as ContactBody, parsed));
  } catch {
    // A service with stolen credentials can publish anything.
    return undefined;
  }
}

export function withDetails(
  { data, ...event }: ContactBody,
  { contact, previous, changed = previous && changedFields(previous), omitted }: EventDetails,
): object {
  return {
    ...event,
    data: { ...data, contact: { ...data.contact, ...contact }, changed, previous, omitted },
  };
}
