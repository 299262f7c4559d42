import type { Answer, Call } from '@roster/bus';
import { notFound, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { lines, linesOf, tracesOf, uuids, type Session, type Statement } from '@roster/storage';
import type { AuditAllowance } from './audit-allowance.js';
import type { ContactsService } from '../service.js';
import {
  announceChanges,
  announcing,
  eventBody,
  eventDetails,
  eventHead,
  rowBytes,
  type AnnouncedRow,
} from './announce-change.js';
import { isStill, referenceText, type NamedContact } from './by-reference.js';
import { takingTurns } from './turns.js';

type DeleteContact = Operations['contacts.delete'];
type DeleteCall = Call<NamedContact>;

/**
 * Deletes different contacts by one statement, which also writes their entries of the audit log.
 *
 * @param allowance of these entries; undefined for a batch of operations, which has an entry of its own
 */
export async function deleteContacts(
  service: ContactsService,
  calls: readonly DeleteCall[],
  session: Session,
  allowance?: AuditAllowance,
): Promise<Answer<OutputOf<DeleteContact>>[]> {
  const now = new Date();
  const ids = calls.map(({ input }) => uuidOf('contact', input.contactId));
  const heads = ids.map((id) => eventHead(service.ids, 'CONTACT_DELETED', id, now));
  const workspaceIds = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
  const bytesMax = rowBytes(service, workspaceIds);
  const rows = await session.query<DeletedRow>(bytesMax === undefined ? remove : removeTogether, [
    uuids(workspaceIds),
    uuids(ids),
    uuids(heads.map(({ id }) => id)),
    lines(heads.map(({ head }) => head)),
    lines(calls.map((call) => (allowance?.admits(call) ? entryOf(call) : undefined))),
    lines(calls.map(({ input }) => referenceText(input.of))),
    tracesOf(
      heads.map(({ id }) => id),
      calls,
    ),
    ...(bytesMax === undefined ? [] : [bytesMax]),
  ]);
  announceChanges(service, session, 'CONTACT_DELETED', rows, calls, bytesMax);
  const gone = new Set(rows.map(({ n }) => n));
  if (allowance)
    session.afterCommit(() => {
      for (const n of gone) allowance.took(calls[n - 1]!);
    });
  return calls.map(({ input: { contactId: id, of } }, index) => {
    if (!gone.has(index + 1)) return notFound('contact');
    return { deleted: true, ...(of && { id }) };
  });
}

/** The parts of an entry that are not known to the database. None contains a tab or a line break. */
const entryOf = ({ caller, address = '', requestId, input }: DeleteCall): string =>
  [caller.userId, caller.keyId, address, requestId, input.contactId].join('\t');

interface DeletedRow extends AnnouncedRow {
  n: number;
}

/** Takes the turns of the workspaces, and locks the rows in the order of their keys, so that two batches cannot deadlock. */
const removeWith = (name: string, bytesMax: string | undefined): Statement => ({
  name,
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], ${linesOf('$4')}, ${linesOf('$5')}, ${linesOf('$6')}) with ordinality
        as i (workspace_id, id, event_id, head, entry, reference, n)
    ), ${takingTurns('$3')}, gone as (
      select i.n, i.event_id, ${eventBody('i.head', 'c')} as body, ${eventDetails('c')} as details,
        c.workspace_id, c.id, i.entry
      from input i join turns using (workspace_id) join contacts.contacts c using (workspace_id, id)
      where ${isStill('i', 'c')}
      order by c.workspace_id, c.id for update of c
    ), deleted as (
      delete from contacts.contacts c using gone g where c.workspace_id = g.workspace_id and c.id = g.id
    ), recorded as (
      insert into contacts.audit_log (workspace_id, id, action, actor_id, key_id, address, request_id, resource_id)
      select workspace_id, event_id, 'contact.deleted', e[1], e[2], e[3], e[4], e[5]
      from gone, string_to_array(entry, E'\\t', '') e where entry is not null
    )${announcing('gone', `'CONTACT_DELETED'`, '$7', bytesMax)}
    select n::int, workspace_id, event_id, body, details from gone`,
});

const remove = removeWith('contacts.delete', undefined);
const removeTogether = removeWith('contacts.delete', '$8');
