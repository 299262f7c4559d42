import { Json } from '@roster/bus';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import {
  inRounds,
  lines,
  linesOf,
  uuids,
  type SessionHandler,
  type Statement,
} from '@roster/storage';
import {
  announceChanges,
  announcing,
  eventBody,
  eventDetails,
  eventHead,
  rowBytes,
  type AnnouncedRow,
} from '../../writing/announce-change.js';
import { contactColumns, contactJson, type ContactRow } from '../../reading/contact.js';
import type { ContactsService } from '../../service.js';

type ChangeSubscription = Operations['contacts.unsubscribe'] | Operations['contacts.resubscribe'];

export const unsubscribeContact = (service: ContactsService) =>
  changeSubscription(service, 'unsubscribed', 'CONTACT_UNSUBSCRIBED');

export const resubscribeContact = (service: ContactsService) =>
  changeSubscription(service, 'subscribed', 'CONTACT_RESUBSCRIBED');

/** Sets the status of contacts. A contact that already has the status is not changed, and no event is written. */
const changeSubscription = (
  service: ContactsService,
  status: 'subscribed' | 'unsubscribed',
  kind: 'CONTACT_UNSUBSCRIBED' | 'CONTACT_RESUBSCRIBED',
): SessionHandler<ChangeSubscription> =>
  inRounds<ChangeSubscription>(
    { rowOf: ({ input }) => input.contactId },
    async (calls, session) => {
      const now = new Date();
      const ids = calls.map(({ input }) => uuidOf('contact', input.contactId));
      const heads = ids.map((id) => eventHead(service.ids, kind, id, now));
      const workspaceIds = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
      const bytesMax = rowBytes(service, workspaceIds);
      const rows = await session.query<ChangedRow>(
        bytesMax === undefined ? change : changeTogether,
        [
          uuids(workspaceIds),
          uuids(ids),
          uuids(heads.map(({ id }) => id)),
          lines(heads.map(({ head }) => head)),
          status,
          kind,
          ...(bytesMax === undefined ? [] : [bytesMax]),
        ],
      );
      announceChanges(service, session, kind, rows, bytesMax);
      const found = new Map(rows.map((row) => [row.n, row]));
      return calls.map((_, index) => {
        const row = found.get(index + 1);
        return row
          ? new Json(`{"contact":${contactJson({ ...row, status })}}`)
          : notFound('contact');
      });
    },
  );

interface ChangedRow extends ContactRow, AnnouncedRow {
  n: number;
}

const changeWith = (name: string, bytesMax: string | undefined): Statement => ({
  name,
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], ${linesOf('$4')}) with ordinality
        as i (workspace_id, id, event_id, head, n)
    ), before as (
      select i.n, i.event_id, i.head, c.*
      from input i join contacts.contacts c using (workspace_id, id)
      order by c.workspace_id, c.id for update of c
    ), changed as (
      select b.*, case when status <> $5 then ${eventBody('b.head', 'b')} end as body,
        case when status <> $5 then ${eventDetails('b', `json_build_object('status', status)::text`, '$5')} end as details
      from before b
    ), written as (
      update contacts.contacts c set status = $5
      from changed b
      where c.workspace_id = b.workspace_id and c.id = b.id and b.status <> $5
    )${announcing('(select * from changed where body is not null) changed', '$6', bytesMax)}
    select n::int, workspace_id, ${contactColumns('b')}, event_id, body, details from changed b`,
});

const change = changeWith('contacts.change-subscription', undefined);
const changeTogether = changeWith('contacts.change-subscription', '$7');
