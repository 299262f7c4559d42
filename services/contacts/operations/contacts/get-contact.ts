import { Json, type Answer, type Call, type Handler } from '@roster/bus';
import { notFound, uuidOf, type InputOf, type Operations, type OutputOf } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { contactColumns, contactJson, type ContactRow } from '../../reading/contact.js';
import type { ContactsService } from '../../service.js';

type GetContact = Operations['contacts.get'];

export const getContact =
  ({ database, links }: ContactsService): Handler<GetContact> =>
  async (calls) => {
    if (calls.length <= callsMax) return getContacts(database, links, calls);
    const answers: Answer<OutputOf<GetContact>>[] = [];
    for (let from = 0; from < calls.length; from += callsMax)
      answers.push(...(await getContacts(database, links, calls.slice(from, from + callsMax))));
    return answers;
  };

async function getContacts(
  database: Database,
  links: ContactsService['links'],
  calls: readonly Call<InputOf<GetContact>>[],
): Promise<Answer<OutputOf<GetContact>>[]> {
  const rows = await database.query<ContactRow & { n: number }>(select, [
    calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
    calls.map(({ input }) => uuidOf('contact', input.contactId)),
  ]);
  const writers = await links.writersOf(calls);
  const found = new Map(rows.map((row) => [row.n, row]));
  return calls.map((_, index) => {
    const row = found.get(index + 1);
    if (!row) return notFound('contact');
    const written = writers[index]!({ id: row.id, json: contactJson(row) });
    return new Json(`{"contact":${written}}`);
  });
}

/** Calls per statement. More would take too much memory if the contacts have the maximum size. */
const callsMax = 64;

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
