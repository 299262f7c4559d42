import { encodeId, Fault } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';

/** Returns for each email address the ID of the contact of the workspace that has it, or undefined. */
export async function findByEmail(
  session: Session,
  requested: readonly { workspaceId: string; emailKey: string }[],
): Promise<(string | undefined)[]> {
  const rows = await session.query<{ n: number; id: string }>(select, [
    requested.map(({ workspaceId }) => workspaceId),
    requested.map(({ emailKey }) => emailKey),
  ]);
  const found = new Map(rows.map(({ n, id }) => [n, id]));
  return requested.map((_, index) => found.get(index + 1));
}

const select: Statement = {
  name: 'contacts.find-by-email',
  text: `
    select requested.n::int, c.id
    from unnest($1::uuid[], $2::text[]) with ordinality as requested (workspace_id, email_key, n)
      join contacts.contacts c on c.workspace_id = requested.workspace_id and c.email_key = requested.email_key collate "C"`,
};

/** @param existing ID of the contact that has the email, unless it was deleted meanwhile */
export const emailTaken = (existing: string | undefined): Fault =>
  new Fault('conflict', 'A contact with this email already exists.', {
    errors: [{ pointer: '/email', message: 'is the address of another contact' }],
    ...(existing !== undefined && { existingId: encodeId('contact', existing) }),
  });
