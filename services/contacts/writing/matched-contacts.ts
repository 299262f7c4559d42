import type { Call } from '@roster/bus';
import { operations, uuidOf, type Operations } from '@roster/contracts';
import type { ConditionedResources, Session, Statement } from '@roster/storage';
import { contactColumns, contactJson, type ContactRow } from '../reading/contact.js';

type ChangeContact = Operations['contacts.update'] | Operations['contacts.delete'];

/** The contacts of calls with If-Match. */
export const lockedContacts: ConditionedResources<ChangeContact> = {
  get: operations['contacts.get'],
  async lock(calls: readonly Call<{ contactId: string }>[], inner: Session) {
    const rows = await inner.query<ContactRow & { n: number }>(lock, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('contact', input.contactId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, `{"contact":${contactJson(row)}}`]));
    return calls.map((_, index) => found.get(index + 1));
  },
};

/** In the order of their keys, so that two batches cannot deadlock. */
const lock: Statement = {
  name: 'contacts.lock',
  text: `
    select i.n::int, ${contactColumns('c')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as i (workspace_id, id, n)
      join contacts.contacts c using (workspace_id, id)
    order by c.workspace_id, c.id for update of c`,
};
