import type { Session, Statement } from '@roster/service/storage';

/** Which contact of a workspace has an address, if any; one entry per question, in their order. */
export async function findByEmail(
  session: Session,
  asked: readonly { workspaceId: string; emailKey: string }[],
): Promise<(string | undefined)[]> {
  const rows = await session.query<{ n: number; id: string }>(select, [
    asked.map(({ workspaceId }) => workspaceId),
    asked.map(({ emailKey }) => emailKey),
  ]);
  const found = new Map(rows.map(({ n, id }) => [n, id]));
  return asked.map((_, index) => found.get(index + 1));
}

const select: Statement = {
  name: 'contacts.find-by-email',
  text: `
    select asked.n::int, c.id
    from unnest($1::uuid[], $2::text[]) with ordinality as asked (workspace_id, email_key, n)
      join contacts.contacts c on c.workspace_id = asked.workspace_id and c.email_key = asked.email_key collate "C"`,
};
