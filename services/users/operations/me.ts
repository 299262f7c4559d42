import type { Handler } from '@roster/bus';
import { operations, uuidOf, type Operations, type Caller, type OutputOf } from '@roster/contracts';
import { each, requireMatch, type Session, type Statement } from '@roster/storage';
import { keyEnded } from '../keys/caller-key.js';
import { auditLog, type UsersService } from '../service.js';
import { userShape } from '../user.js';

/** Reading the user is an access, so it updates the last access time. */
export const getMe =
  ({ database }: UsersService): Handler<Operations['users.me']> =>
  async (calls) =>
    (await seeUsers(database, calls)).map((seen) => (seen ? { user: seen.user } : keyEnded()));

export const updateMe = each<Operations['users.update-me']>((call, session) =>
  session.transaction(async (inner) => {
    const { caller, input } = call;
    if (call.ifMatch !== undefined) {
      // Recording the access locks the user.
      const [current] = await seeUsers(inner, [{ caller }]);
      if (!current) throw keyEnded();
      requireMatch(call, operations['users.me'], () => JSON.stringify({ user: current.user }));
    }
    const [seen] = await seeUsers(inner, [{ caller, name: input.name }]);
    if (!seen) throw keyEnded();
    const { user, formerName } = seen;
    if (user.name !== formerName)
      await auditLog.record(inner, call, {
        action: 'user.updated',
        resourceId: user.id,
        before: { name: formerName },
        after: { name: user.name },
      });
    return { user };
  }),
);

/** A user who is making a request, and their new name, if any. */
interface Seen {
  caller: Caller;
  name?: string | undefined;
}

type SeenUser = OutputOf<Operations['users.me']> & { formerName: string };

/**
 * Updates the last access time of callers, and returns their records and former names in the same order. Undefined for a user who
 * was deleted since the key was verified.
 */
async function seeUsers(
  session: Session,
  seen: readonly Seen[],
): Promise<(SeenUser | undefined)[]> {
  const keys = seen.map(({ caller }) => ({
    workspaceId: uuidOf('workspace', caller.workspaceId),
    id: uuidOf('user', caller.userId),
  }));
  const rows = await session.query<SeenRow>(see, [
    keys.map(({ workspaceId }) => workspaceId),
    keys.map(({ id }) => id),
    seen.map(({ name }) => name ?? null),
    new Date().toISOString(),
  ]);
  const found = new Map(rows.map((row) => [`${row.workspace_id}/${row.id}`, row]));
  return keys.map(({ workspaceId, id }) => {
    const row = found.get(`${workspaceId}/${id}`);
    return row && { user: shapeOf(row), formerName: row.former_name };
  });
}

interface SeenRow {
  workspace_id: string;
  id: string;
  email: string;
  name: string;
  former_name: string;
  /** Milliseconds since the epoch, as is the next one. */
  created_ms: number;
  last_accessed_ms: number;
}

const shapeOf = ({ created_ms, last_accessed_ms, ...row }: SeenRow) =>
  userShape({
    ...row,
    createdAt: new Date(Math.round(created_ms)),
    lastAccessedAt: new Date(Math.round(last_accessed_ms)),
  });

/** Locks the rows in the order of their keys first, so that two batches cannot deadlock. */
const see: Statement = {
  name: 'users.see',
  text: `
    with input as (
      select distinct * from unnest($1::uuid[], $2::uuid[], $3::text[]) as i (workspace_id, id, name)
    ), locked as (
      select u.workspace_id, u.id, i.name, u.name as former_name
      from users.users u join input i using (workspace_id, id)
      order by u.workspace_id, u.id for no key update of u
    )
    update users.users u
    set name = coalesce(l.name, u.name), last_accessed_at = greatest(u.last_accessed_at, $4)
    from locked l
    where u.workspace_id = l.workspace_id and u.id = l.id
    returning u.workspace_id, u.id, u.email, u.name, l.former_name,
      (extract(epoch from u.created_at) * 1000)::float8 as created_ms,
      (extract(epoch from u.last_accessed_at) * 1000)::float8 as last_accessed_ms`,
};
