import type { ContactBatchProblem, ContactBatchResult, Roster } from '@roster/client';
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
  const upsert = async (batch: readonly PlacedContact[], withStatus: boolean) => {
    const operations = batch.map((contact) => upsertOf(contact, withStatus));
    const { results } = await roster.contacts.batch({ operations }, { signal });
    return batch.map((contact, index) => ({ contact, result: results[index]! }));
  };

  for (const batch of batchesOf(contacts)) {
    const written = await upsert(batch, true);
    // These exist with the other status.
    const others = written.filter(({ result }) => isAboutStatus(result.problem));
    const again =
      others.length > 0
        ? await upsert(
            others.map(({ contact }) => contact),
            false,
          )
        : [];
    let moved = 0;
    for (const { contact, result } of [...written.filter((one) => !others.includes(one)), ...again])
      if (result.problem) report.reject({ place: contact.place, reason: reasonOf(result.problem) });
      else moved += 1;
    for (const { contact, result } of again)
      if (contact.status === 'unsubscribed' && isDone(result))
        await roster.contacts.unsubscribe(result.id, { signal });
    report.moved(moved);
  }
}

const isDone = (result: ContactBatchResult): result is ContactBatchResult & { id: string } =>
  result.problem === undefined && result.id !== undefined;

const upsertOf = (
  { email, name, tags, properties, status }: PlacedContact,
  withStatus: boolean,
) => ({
  action: 'upsert' as const,
  ...{ email, tags, properties },
  // An empty name leaves the one that was entered here.
  ...(name && { name }),
  ...(withStatus && { status }),
});

const isAboutStatus = (problem: ContactBatchProblem | undefined): boolean =>
  problem?.errors?.length === 1 && problem.errors[0]!.pointer.endsWith('/status');

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
    const length = Buffer.byteLength(JSON.stringify(upsertOf(contact, true)));
    if (batch.length === batchContactsMax || (batch.length > 0 && bytes + length > batchBytesMax)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(contact);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}
