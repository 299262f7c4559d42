import { Fault } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { isGenuine, readUnsubscribeToken } from './unsubscribe-token.js';

/** The contact of an unsubscribe link. IDs are UUIDs. */
export interface LinkedContact {
  workspaceId: string;
  contactId: string;
  status: 'subscribed' | 'unsubscribed';
  version: number;
  /** Of the workspace. */
  key: Buffer;
}

interface FoundRow {
  key: Buffer | null;
  status: LinkedContact['status'] | null;
  version: number | null;
}

/** The same for malformed and forged tokens, and for those of deleted contacts. */
const noSuchLink = new Fault('not_found', 'No such unsubscribe link.');

const noId = '00000000-0000-0000-0000-000000000000';
const noKey = Buffer.alloc(32);

/**
 * The contact of each token. Every token costs the same two look-ups and one digest, so that the time of an answer does not tell
 * which workspaces and contacts exist.
 */
export async function findLinkedContacts(
  database: Database,
  tokens: readonly string[],
): Promise<(LinkedContact | Fault)[]> {
  const read = tokens.map(
    (token) =>
      readUnsubscribeToken(token) ?? {
        workspaceId: noId,
        contactId: noId,
        digest: Buffer.alloc(16),
      },
  );
  const rows = await database.query<FoundRow>(select, [
    read.map(({ workspaceId }) => workspaceId),
    read.map(({ contactId }) => contactId),
  ]);
  return read.map((token, index) => {
    const { key, status, version } = rows[index]!;
    const isValid = isGenuine(token, key ?? noKey);
    if (!isValid || key === null || status === null || version === null) return noSuchLink;
    const { workspaceId, contactId } = token;
    return { workspaceId, contactId, status, version, key };
  });
}

const select: Statement = {
  name: 'unsubscribe-links.find',
  text: `
    select k.key, c.status, c.version
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n)
      left join lateral (
        select key from contacts.unsubscribe_keys where workspace_id = requested.workspace_id offset 0
      ) k on true
      left join lateral (
        select status, version from contacts.contacts
        where workspace_id = requested.workspace_id and id = requested.id
        offset 0
      ) c on true
    order by requested.n`,
};
