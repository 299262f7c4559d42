import { encodeId, Fault } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';

/** Returns for each email address the ID of the contact of the workspace that has it, or undefined, also for a call without one. */
export async function findByEmail(
  session: Session,
  requested: readonly { workspaceId: string; emailKey?: string | undefined }[],
): Promise<(string | undefined)[]> {
  if (requested.every(({ emailKey }) => emailKey === undefined))
    return requested.map(() => undefined);
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

/** The same for their IDs in another system; undefined for a call without one. */
export async function findByExternalId(
  session: Session,
  requested: readonly { workspaceId: string; externalId?: string | null | undefined }[],
): Promise<(string | undefined)[]> {
  if (requested.every(({ externalId }) => typeof externalId !== 'string'))
    return requested.map(() => undefined);
  const rows = await session.query<{ n: number; id: string }>(selectByExternalId, [
    requested.map(({ workspaceId }) => workspaceId),
    requested.map(({ externalId }) => externalId),
  ]);
  const found = new Map(rows.map(({ n, id }) => [n, id]));
  return requested.map((_, index) => found.get(index + 1));
}

const selectByExternalId: Statement = {
  name: 'contacts.find-by-external-id',
  text: `
    select requested.n::int, c.id
    from unnest($1::uuid[], $2::text[]) with ordinality as requested (workspace_id, external_id, n)
      join contacts.contacts c on c.workspace_id = requested.workspace_id and c.external_id = requested.external_id collate "C"`,
};

/** @param existing ID of the contact that has it, unless it was deleted meanwhile */
export const externalIdTaken = (existing: string | undefined): Fault =>
  new Fault('conflict', 'A contact with this externalId already exists.', {
    errors: [{ pointer: '/externalId', message: 'is that of another contact' }],
    ...(existing !== undefined && { existingId: encodeId('contact', existing) }),
  });

/** @param existing ID of the contact that has the email, unless it was deleted meanwhile */
export const emailTaken = (existing: string | undefined): Fault =>
  new Fault('conflict', 'A contact with this email already exists.', {
    errors: [{ pointer: '/email', message: 'is the address of another contact' }],
    ...(existing !== undefined && { existingId: encodeId('contact', existing) }),
  });
