import { Json, type Answer, type Call } from '@roster/bus';
import { notFound, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { lines, linesOf, tracesOf, uuids, type Session, type Statement } from '@roster/storage';
import { changeIdOf, contactColumns, contactJson, type ContactRow } from '../reading/contact.js';
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
import { changeInstantOf, nextChangeId, takingTurns } from './turns.js';

/** A change that applies to the contact only as long as it has this version. */
interface ChangeOfVersion extends NamedContact {
  ofVersion?: number;
}

const kindOf = {
  subscribed: 'CONTACT_RESUBSCRIBED',
  unsubscribed: 'CONTACT_UNSUBSCRIBED',
} as const;

/**
 * Sets the status of different contacts by one statement. A contact that already has the status is not changed, and no event is
 * written.
 *
 * @param isQuiet causes no events
 */
export async function changeSubscriptions(
  service: ContactsService,
  calls: readonly Call<ChangeOfVersion>[],
  session: Session,
  status: keyof typeof kindOf,
  isQuiet = false,
): Promise<Answer<OutputOf<Operations['contacts.resubscribe']>>[]> {
  const now = new Date();
  const kind = kindOf[status];
  const ids = calls.map(({ input }) => uuidOf('contact', input.contactId));
  const heads = ids.map((id) => eventHead(service.ids, kind, id, now));
  const workspaceIds = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
  const bytesMax = isQuiet ? undefined : rowBytes(service, workspaceIds);
  const statement = isQuiet ? changeQuietly : bytesMax === undefined ? change : changeTogether;
  const rows = await session.query<ChangedRow>(statement, [
    uuids(workspaceIds),
    uuids(ids),
    uuids(heads.map(({ id }) => id)),
    lines(heads.map(({ head }) => head)),
    calls.map(({ input }) => input.ofVersion ?? null),
    status,
    lines(heads.map(({ instant }) => instant)),
    lines(calls.map(({ input }) => referenceText(input.of))),
    ...(isQuiet
      ? []
      : [
          kind,
          tracesOf(
            heads.map(({ id }) => id),
            calls,
          ),
        ]),
    ...(bytesMax === undefined ? [] : [bytesMax]),
  ]);
  if (!isQuiet) announceChanges(service, session, kind, rows, calls, bytesMax);
  const found = new Map(rows.map((row) => [row.n, row]));
  return calls.map((_, index) => {
    const row = found.get(index + 1);
    return row ? new Json(`{"contact":${contactJson({ ...row, status })}}`) : notFound('contact');
  });
}

interface ChangedRow extends ContactRow, AnnouncedRow {
  n: number;
}

/** @param events `$11` is the parameter with the result of `rowBytes` */
const changeWith = (name: string, events: 'alone' | '$11' | 'none'): Statement => ({
  name,
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], ${linesOf('$4')}, $5::int[], ${linesOf('$7')}, ${linesOf('$8')}) with ordinality
        as i (workspace_id, id, event_id, head, of_version, instant, reference, n)
    ), ${takingTurns('$3')}, before as (
      select i.n, i.event_id, i.instant, i.head, c.workspace_id, c.id, c.email, c.name, c.tags, c.properties, c.status, c.external_id,
        case when c.status = $6 then ${changeIdOf('c')} else ${nextChangeId('$3', 'i', 't')} end as change_id,
        c.version + (c.status <> $6)::int as version
      from input i join turns t using (workspace_id) join contacts.contacts c using (workspace_id, id)
      where coalesce(i.of_version = c.version, true) and ${isStill('i', 'c')}
      order by c.workspace_id, c.id for update of c
    ), changed as (
      select b.*, case when status <> $6 then ${eventBody('b.head', 'b')} end as body,
        case when status <> $6 then ${eventDetails('b', `json_build_object('status', status)::text`, '$6', changeInstantOf('b'))} end as details
      from before b
    ), written as (
      update contacts.contacts c set status = $6, change_id = b.change_id, version = b.version
      from changed b
      where c.workspace_id = b.workspace_id and c.id = b.id and b.status <> $6
    )${events === 'none' ? '' : announcing('(select * from changed where body is not null) changed', '$9', '$10', events === 'alone' ? undefined : events)}
    select n::int, workspace_id, ${contactColumns('b')}, event_id, body, details from changed b`,
});

const change = changeWith('contacts.change-subscription', 'alone');
const changeTogether = changeWith('contacts.change-subscription', '$11');
const changeQuietly = changeWith('contacts.change-subscription-quietly', 'none');
