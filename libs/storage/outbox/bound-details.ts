import { changedFields, eventDetailsBytesMax, type EventDetails } from '@roster/contracts';

/** The largest fields first. The names are those of the fields in `data`. */
const omissions: Record<string, (details: EventDetails) => void> = {
  previous: (details) => {
    if (details.previous) details.changed = changedFields(details.previous);
    delete details.previous;
  },
  'contact.properties': ({ contact }) => delete contact.properties,
  changed: (details) => delete details.changed,
  'contact.tags': ({ contact }) => delete contact.tags,
};

/** The details, without the fields with which they are too large for the stream. */
export function boundDetails(text: string): string {
  if (fits(text)) return text;
  const details = JSON.parse(text) as EventDetails;
  const omitted: string[] = [];
  let bounded = JSON.stringify(details);
  let whole = bounded;
  for (const [field, omit] of Object.entries(omissions)) {
    if (fits(bounded)) break;
    omit(details);
    const rest = JSON.stringify(details);
    if (rest === whole) continue;
    whole = rest;
    omitted.push(field);
    bounded = JSON.stringify({ ...details, omitted });
  }
  return bounded;
}

/** A character has at most three bytes for each of its UTF-16 code units. */
const fits = (text: string): boolean =>
  text.length * 3 <= eventDetailsBytesMax || Buffer.byteLength(text) <= eventDetailsBytesMax;
