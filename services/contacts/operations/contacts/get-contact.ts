import { Json, type Answer, type Handler } from '@roster/bus';
import { notFound, referenceOf, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { contactColumns, contactJson, type ContactRow } from '../../reading/contact.js';
import type { ContactsService } from '../../service.js';

type GetContact = Operations['contacts.get'];

export const getContact =
  ({ database, links }: ContactsService): Handler<GetContact> =>
  async (calls) => {
    const workspaceIds = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    const references = calls.map(({ input }) => referenceOf(input.contactId));
    const ids = calls.map(({ input }, index) =>
      references[index] ? null : uuidOf('contact', input.contactId),
    );
    const isById = references.every((reference) => reference === undefined);
    const rows = await database.query<ContactRow & { n: number }>(
      isById ? select : selectByReference,
      [
        workspaceIds,
        ids,
        ...(isById
          ? []
          : [references.map((of) => of?.emailKey), references.map((of) => of?.externalId)]),
      ],
    );
    const writers = await links.writersOf(calls);
    const answers: Answer<OutputOf<GetContact>>[] = calls.map(() => noContact);
    for (const row of rows) {
      const { n, id } = row;
      const written = writers[n - 1]!({ id, json: contactJson(row) });
      answers[n - 1] = new Json(`{"contact":${written}}`);
    }
    return answers;
  };

const noContact = notFound('contact');

/** One primary key look-up per call. `offset 0` keeps the planner from choosing a sequential scan for a large batch. */
const select: Statement = {
  name: 'contacts.get',
  text: `
    select requested.n::int, ${contactColumns('c')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n),
      lateral (
        select * from contacts.contacts c
        where c.workspace_id = requested.workspace_id and c.id = requested.id
        offset 0
      ) c`,
};

/** The same with one look-up in an index for each way to name a contact. That of a null finds nothing. */
const selectByReference: Statement = {
  name: 'contacts.get-by-reference',
  text: `
    select requested.n::int, ${contactColumns('c')}
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) with ordinality
      as requested (workspace_id, id, email_key, external_id, n),
      lateral (
        select * from contacts.contacts c
        where c.workspace_id = requested.workspace_id and c.id = requested.id
        union all
        select * from contacts.contacts c
        where c.workspace_id = requested.workspace_id and c.email_key = requested.email_key collate "C"
        union all
        select * from contacts.contacts c
        where c.workspace_id = requested.workspace_id and c.external_id = requested.external_id collate "C"
        offset 0
      ) c`,
};
