import type { ContactBatchProblem, Roster } from '@roster/client';
import type { PlacedContact, RejectedEntry } from './contacts-of.js';

/** Contacts of a batch, and bytes of their JSON: with 100 tags and 100 properties each, they have less than 20,000 JSON values. */
const batchContactsMax = 90;
const batchBytesMax = 500_000;

/**
 * Writes contacts of another service: creates or updates them, and unsubscribes those that are unsubscribed there. Nobody who is
 * unsubscribed here is subscribed again, so that it can be repeated.
 *
 * @param contacts in the order in which they are written
 * @param moved called with the number of contacts that each batch wrote
 * @param reject called for each contact that is refused
 * @throws RosterError if a batch is refused as a whole, or cannot be sent
 */
export async function moveContacts(
  roster: Pick<Roster, 'contacts'>,
  contacts: readonly PlacedContact[],
  report: { moved(count: number): void; reject(entry: RejectedEntry): void },
  signal: AbortSignal,
): Promise<void> {
  for (const batch of batchesOf(contacts)) {
    const operations = batch.map(upsertOf);
    const { results } = await roster.contacts.batch({ operations }, { signal });
    let moved = 0;
    for (const [index, { place }] of batch.entries()) {
      const { problem } = results[index]!;
      if (problem) report.reject({ place, reason: reasonOf(problem) });
      else moved += 1;
    }
    report.moved(moved);
  }
}

const upsertOf = ({ email, name, tags, properties, status }: PlacedContact) => ({
  action: 'upsert' as const,
  ...{ email, tags, properties, status },
  // An empty name leaves the one that was entered here.
  ...(name && { name }),
});

const reasonOf = ({ detail, errors = [] }: ContactBatchProblem): string =>
  [
    detail,
    ...errors.map(
      ({ pointer, message }) => `${pointer.replace(/^\/operations\/\d+/, '')} ${message}`,
    ),
  ].join(' ');

function* batchesOf(contacts: readonly PlacedContact[]): Generator<PlacedContact[]> {
  let batch: PlacedContact[] = [];
  let bytes = 0;
  for (const contact of contacts) {
    const length = Buffer.byteLength(JSON.stringify(upsertOf(contact)));
    if (batch.length === batchContactsMax || (batch.length > 0 && bytes + length > batchBytesMax)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(contact);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}
