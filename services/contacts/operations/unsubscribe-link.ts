import type { Call, Handler } from '@roster/bus';
import { encodeId, Fault, type InputOf, type Operations } from '@roster/contracts';
import { each, inRounds, type SessionHandler, type Statement } from '@roster/storage';
import { resubscribeContact, unsubscribeContact } from './contacts/change-subscription.js';
import type { ContactsService } from '../service.js';
import { findLinkedContacts, type LinkedContact } from '../reading/find-linked-contacts.js';
import { isUndo, undoOf } from '../reading/unsubscribe-token.js';

type UseLink = Operations['unsubscribe-links.use'];
type UndoLink = Operations['unsubscribe-links.undo'];

/** The status of the contact of a link, and its workspace. */
export const getUnsubscribeLink =
  ({ database }: ContactsService): Handler<Operations['unsubscribe-links.get']> =>
  async (calls) => {
    const tokens = calls.map(({ input }) => input.token);
    const found = await findLinkedContacts(database, tokens);
    return found.map((linked) =>
      linked instanceof Fault
        ? linked
        : { status: linked.status, workspaceId: workspaceOf(linked) },
    );
  };

/**
 * Unsubscribes the contacts of links, as `contacts.unsubscribe` does: a contact that is unsubscribed already is not changed, and no
 * event is written.
 */
export const useUnsubscribeLink = (service: ContactsService): SessionHandler<UseLink> =>
  // A contact has one token.
  inRounds<UseLink>({ rowOf: ({ input }) => input.token }, async (calls, session) => {
    const tokens = calls.map(({ input }) => input.token);
    const found = await findLinkedContacts(service.database, tokens);
    const linked = found.flatMap((contact) => (contact instanceof Fault ? [] : [contact]));
    if (linked.length === 0) return found;
    return session.transaction(async (inner) => {
      const changes = found.flatMap((contact, index) =>
        contact instanceof Fault ? [] : [changeOf(calls[index]!, contact)],
      );
      const outcomes = (await unsubscribeContact(service)(changes, inner)).values();
      const afterwards = (await inner.query<VersionRow>(versions, idsOf(linked))).values();
      return found.map((contact) => {
        if (contact instanceof Fault) return contact;
        const { status, key, ...ids } = contact;
        const { version } = afterwards.next().value!;
        // The contact may have been deleted since it was found.
        const outcome = outcomes.next().value!;
        if (outcome instanceof Fault) return outcome;
        return {
          status: 'unsubscribed' as const,
          workspaceId: workspaceOf(ids),
          ...(status === 'subscribed' && { undo: undoOf({ ...ids, version }, key, Date.now()) }),
        };
      });
    });
  });

/** Subscribes the contact of a link again that was unsubscribed minutes ago and not changed since, as `contacts.resubscribe` does. */
export const undoUnsubscribeLink = (service: ContactsService): SessionHandler<UndoLink> =>
  each<UndoLink>(async (call, session) => {
    const { token, undo } = call.input;
    const [contact] = await findLinkedContacts(service.database, [token]);
    if (contact instanceof Fault) throw contact;
    const { key, status, ...ids } = contact!;
    // A second click.
    if (status === 'subscribed') return { status, workspaceId: workspaceOf(ids) };
    return session.transaction(async (inner) => {
      const [row] = await inner.query<VersionRow>(lockedVersion, [ids.workspaceId, ids.contactId]);
      const version = row?.version ?? '';
      if (!isUndo(undo, { ...ids, version }, key, Date.now())) throw tooLate;
      const [outcome] = await resubscribeContact(service)([changeOf(call, contact!)], inner);
      if (outcome instanceof Fault) throw outcome;
      return { status: 'subscribed' as const, workspaceId: workspaceOf(ids) };
    });
  });

const tooLate = new Fault('conflict', 'The time to undo this has passed.', {
  reason: 'the undo text has expired, or is not of the last change of the contact',
});

const workspaceOf = ({ workspaceId }: Pick<LinkedContact, 'workspaceId'>) =>
  encodeId('workspace', workspaceId);

/** Authorised by the token alone: its workspace is that of the contact. */
const changeOf = <Op extends UseLink | UndoLink>(
  call: Call<InputOf<Op>>,
  { workspaceId, contactId }: LinkedContact,
) => ({
  ...call,
  caller: { ...call.caller, workspaceId: workspaceOf({ workspaceId }) },
  input: { contactId: encodeId('contact', contactId) },
});

const idsOf = (linked: readonly LinkedContact[]) => [
  linked.map(({ workspaceId }) => workspaceId),
  linked.map(({ contactId }) => contactId),
];

interface VersionRow {
  /** The transaction that wrote the row. https://www.postgresql.org/docs/current/ddl-system-columns.html */
  version: string;
}

/** Within the transaction that changed the rows. */
const versions: Statement = {
  name: 'unsubscribe-links.versions',
  text: `
    select coalesce(c.xmin::text, '') as version
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n)
      left join contacts.contacts c on c.workspace_id = requested.workspace_id and c.id = requested.id
    order by requested.n`,
};

const lockedVersion: Statement = {
  name: 'unsubscribe-links.lock',
  text: `
    select xmin::text as version from contacts.contacts
    where workspace_id = $1 and id = $2
    for no key update`,
};
