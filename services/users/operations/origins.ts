import { operations, uuidOf, type Operations } from '@roster/contracts';
import { each, requireMatch, type Statement, type Session } from '@roster/storage';
import type { Handler } from '@roster/bus';
import { auditLog, type UsersService } from '../service.js';

export const listOrigins = each<Operations['workspaces.origins']>(async ({ caller }, session) => ({
  origins: await originsOf(session, uuidOf('workspace', caller.workspaceId)),
}));

export const setOrigins = ({ bus }: UsersService) =>
  each<Operations['workspaces.set-origins']>((call, session) =>
    session.transaction(async (inner) => {
      const { workspaceId } = call.caller;
      const workspace = uuidOf('workspace', workspaceId);
      const origins = [...new Set(call.input.origins)].toSorted();
      await inner.query(queue, [workspace]);
      const former = await originsOf(inner, workspace);
      requireMatch(call, operations['workspaces.origins'], () =>
        JSON.stringify({ origins: former }),
      );
      const added = origins.filter((origin) => !former.includes(origin));
      const removed = former.filter((origin) => !origins.includes(origin));
      if (added.length + removed.length > 0) {
        await inner.query(replace, [workspace, removed, added]);
        await auditLog.record(inner, call, {
          action: 'origins.updated',
          resourceId: workspaceId,
          before: { origins: former },
          after: { origins },
        });
      }
      // Also without a change: the process that made it may have ended before its broadcast.
      const changed = [...new Set([...former, ...origins])];
      inner.afterCommit(() => bus.broadcast('origins.changed', { workspaceId, origins: changed }));
      return { origins };
    }),
  );

/** Serializes changes in one workspace, so that the result is the whole list of one of them. */
const queue: Statement = {
  name: 'origins.queue',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:origins:' || $1, 0))`,
};

const replace: Statement = {
  name: 'origins.replace',
  text: `
    with removed as (
      delete from users.origins where workspace_id = $1 and origin = any($2::text[])
    )
    insert into users.origins (workspace_id, origin) select $1::uuid, unnest($3::text[])`,
};

/** The origins of a workspace, in alphabetical order. */
async function originsOf(session: Session, workspaceId: string): Promise<string[]> {
  const rows = await session.query<{ origin: string }>(ofWorkspace, [workspaceId]);
  return rows.map(({ origin }) => origin);
}

const ofWorkspace: Statement = {
  name: 'origins.of',
  text: `select origin from users.origins where workspace_id = $1 order by origin`,
};

/** Whether any workspace lists an origin. Gateways call this for preflights, which have no key. */
export const checkOrigin =
  ({ database }: UsersService): Handler<Operations['origins.check']> =>
  async (calls) => {
    const origins = calls.map(({ input }) => input.origin);
    const rows = await database.query<{ origin: string }>(listed, [[...new Set(origins)]]);
    const found = new Set(rows.map(({ origin }) => origin));
    return origins.map((origin) => ({ isListed: found.has(origin) }));
  };

/** Without a workspace, because a preflight has none. A look-up in origins_origin for each origin. */
const listed: Statement = {
  name: 'origins.check',
  text: `
    select a.origin from unnest($1::text[]) as a (origin)
    where exists (select from users.origins o where o.origin = a.origin)`,
};
