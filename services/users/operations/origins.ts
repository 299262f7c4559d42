import { operations, uuidOf, type Operations } from '@roster/contracts';
import { each, requireMatch, type SessionHandler, type Statement } from '@roster/storage';
import { auditLog } from '../audit-log.js';
import type { UsersService } from '../service.js';
import { originsOf } from './origins-of.js';

type SetOrigins = Operations['workspaces.set-origins'];

export const setOrigins = ({ bus }: UsersService): SessionHandler<SetOrigins> =>
  each<SetOrigins>((call, session) =>
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
