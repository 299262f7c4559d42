import {
  decodeId,
  encodeId,
  InsufficientScope,
  notFound,
  operations,
  sessionCursor,
  uuidOf,
  type Caller,
  type Operations,
} from '@roster/contracts';
import { each, requireMatch, type Session, type Statement } from '@roster/storage';
import { callerKey } from '../keys/caller-key.js';
import { auditLog, type UsersService } from '../service.js';
import { sessionDeleted, tellGateways } from '../sessions/end-sessions.js';
import { makeLink } from '../sessions/make-link.js';
import { callerOf, requireSigner, signIn, useSession } from '../sessions/sign-in.js';

export const createLink = ({ ids }: UsersService) =>
  each<Operations['session-links.create']>((call, session) => {
    const { workspaceId, keyId } = call.caller;
    // What it opens would outlive the session, and whoever ends that would not know of it.
    if (decodeId('session', keyId))
      throw new InsufficientScope('user', 'A session cannot create links: use an API key.');
    return session.transaction(async (inner) => {
      const key = await callerKey(inner, call.caller);
      const { secret, expiresAt } = await makeLink(inner, ids, {
        workspaceId: uuidOf('workspace', workspaceId),
        keyId: key.id,
        seconds: call.input.expiresInSeconds,
        byIdentity: false,
      });
      await auditLog.record(inner, call, {
        action: 'session_link.created',
        resourceId: encodeId('key', key.id),
        after: { expiresAt },
      });
      return { link: { secret, path: `console#link=${secret}`, expiresAt } };
    });
  });

export const createSessionToken = ({ signer }: UsersService) =>
  each<Operations['sessions.create-token']>(async ({ input, address }, session) => {
    const trusted = requireSigner(signer);
    return signIn(trusted, await useSession(session, Buffer.from(input.session, 'hex'), address));
  });

export const listSessions = each<Operations['sessions.list']>(
  async ({ input: { limit, after }, caller }, session) => {
    const rows = await session.query<SessionRow>(list, [
      uuidOf('workspace', caller.workspaceId),
      after === undefined ? lowestId : sessionCursor.uuidOfAfter(after),
      limit + 1,
    ]);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? sessionCursor.ofUuid(page.at(-1)!.id) : null;
    return {
      sessions: page.map((row) => sessionShape(row, caller.keyId)),
      pagination: { limit, next },
    };
  },
);

export const getSession = each<Operations['sessions.get']>(async ({ input, caller }, session) => ({
  session: await sessionOf(session, caller, input.sessionId),
}));

/** Of any user of the workspace, as keys are deleted. */
export const deleteSession = ({ bus }: UsersService) =>
  each<Operations['sessions.delete']>((call, session) =>
    session.transaction(async (inner) => {
      const { caller, input } = call;
      const found = await sessionOf(inner, caller, input.sessionId);
      requireMatch(call, operations['sessions.get'], () => JSON.stringify({ session: found }));
      const ended = await inner.query<{ id: string }>(remove, [
        uuidOf('workspace', caller.workspaceId),
        uuidOf('session', input.sessionId),
      ]);
      if (ended.length === 0) throw notFound('session');
      await auditLog.record(inner, call, ...ended.map(({ id }) => sessionDeleted(id)));
      tellGateways(inner, bus, ended);
      return { deleted: true };
    }),
  );

/** A user signs out. */
export const endSession = ({ bus }: UsersService) =>
  each<Operations['sessions.end']>((call, session) =>
    session.transaction(async (inner) => {
      const found = await useSession(inner, Buffer.from(call.input.session, 'hex'), call.address);
      const ended = await inner.query<{ id: string }>(remove, [found.workspace_id, found.id]);
      if (ended.length > 0)
        await auditLog.record(
          inner,
          { ...call, caller: callerOf(found) },
          sessionDeleted(found.id),
        );
      tellGateways(inner, bus, ended);
      return { ended: true };
    }),
  );

const lowestId = '00000000-0000-0000-0000-000000000000';

interface SessionRow {
  id: string;
  user_id: string;
  user_name: string;
  key_id: string;
  address: string | null;
  user_agent: string | null;
  /** Milliseconds since the epoch, as are the next ones. */
  created_ms: number;
  expires_ms: number;
  last_used_ms: number;
}

/** @throws Fault `not_found` */
async function sessionOf(session: Session, { workspaceId, keyId }: Caller, id: string) {
  const [row] = await session.query<SessionRow>(get, [
    uuidOf('workspace', workspaceId),
    uuidOf('session', id),
  ]);
  if (!row) throw notFound('session');
  return sessionShape(row, keyId);
}

function sessionShape(row: SessionRow, currentId: string) {
  const id = encodeId('session', row.id);
  return {
    id,
    user: { id: encodeId('user', row.user_id), name: row.user_name },
    keyId: encodeId('key', row.key_id),
    createdAt: timeOf(row.created_ms),
    expiresAt: timeOf(row.expires_ms),
    lastUsedAt: timeOf(row.last_used_ms),
    address: row.address,
    userAgent: row.user_agent,
    isCurrent: id === currentId,
  };
}

const timeOf = (ms: number): string => new Date(Math.round(ms)).toISOString();

const columns = `
    s.id, s.user_id, u.name as user_name, s.key_id, s.address, s.user_agent,
      (extract(epoch from s.created_at) * 1000)::float8 as created_ms,
      (extract(epoch from s.expires_at) * 1000)::float8 as expires_ms,
      (extract(epoch from s.last_used_at) * 1000)::float8 as last_used_ms
    from users.sessions s join users.users u on u.workspace_id = s.workspace_id and u.id = s.user_id`;

const list: Statement = {
  name: 'sessions.list',
  text: `
    select ${columns}
    where s.workspace_id = $1 and s.id > $2 and s.expires_at > clock_timestamp()
    order by s.id limit $3`,
};

const get: Statement = {
  name: 'sessions.get',
  text: `
    select ${columns}
    where s.workspace_id = $1 and s.id = $2 and s.expires_at > clock_timestamp()`,
};

const remove: Statement = {
  name: 'sessions.remove',
  text: 'delete from users.sessions where workspace_id = $1 and id = $2 returning id',
};
