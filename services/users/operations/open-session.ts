import { LockMode } from '@mikro-orm/core';
import { encodeId, Fault, sessionLimits, type InputOf, type Operations } from '@roster/contracts';
import { each, type Session, type Statement } from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';
import { auditLog, type UsersService } from '../service.js';
import { sessionDeleted, tellGateways } from '../sessions/end-sessions.js';
import { callerOf, requireSigner, signIn, useSession } from '../sessions/sign-in.js';

type OpenSession = Operations['sessions.open'];

/**
 * Opens a session. The key is locked before the link is used up: its revocation either prevents the session or ends it. Of calls with
 * the same link, one deletes its row, and opens a session.
 */
export const openSession = ({ bus, ids, signer }: UsersService) =>
  each<OpenSession>((call, session) => {
    const trusted = requireSigner(signer);
    const { input, address } = call;
    const sha256 = Buffer.from(input.session, 'hex');
    return session.transaction(async (inner) => {
      const { workspaceId, id, signInIssuer, signInSubject } = await lockedKey(inner, input.by);
      const link = input.by.kind === 'link' ? await useUp(inner, input.by.sha256) : undefined;
      if (input.by.kind === 'link' && !link) throw ended();
      const byIdentity = link?.by_identity ?? false;
      const { seconds, ofKey } = sessionLimits;
      await inner.query(insert, [
        ...[workspaceId, id, ids.next(), sha256, seconds],
        ...[address ?? null, input.userAgent ?? null, byIdentity],
      ]);
      const opened = await useSession(inner, sha256, address);
      const oldest = await inner.query<{ id: string; is_valid: boolean }>(removeOldest, [
        ...[workspaceId, id, ofKey],
      ]);
      tellGateways(inner, bus, oldest);
      const caller = callerOf(opened);
      const by = { ...call, caller: { ...caller, keyId: encodeId('key', id) } };
      const identity = { with: 'identity', issuer: signInIssuer!, subject: signInSubject! };
      const after = {
        userId: caller.userId,
        ...(byIdentity ? identity : { with: input.by.kind }),
      };
      await auditLog.record(
        inner,
        by,
        { action: 'session.created', resourceId: caller.keyId, after },
        ...oldest.filter((one) => one.is_valid).map((one) => sessionDeleted(one.id)),
      );
      return signIn(trusted, opened);
    });
  });

/** Whose session a link opens. Nothing is changed. */
export const describeLink = each<Operations['session-links.describe']>(
  async ({ input }, session) => {
    const [row] = await session.query<LinkRow>(describe, [Buffer.from(input.link, 'hex')]);
    if (!row) throw ended();
    return {
      workspace: { id: encodeId('workspace', row.workspace_id), name: row.workspace_name },
      user: { id: encodeId('user', row.user_id), name: row.user_name },
      expiresAt: new Date(Math.round(row.expires_ms)).toISOString(),
    };
  },
);

/** The same for a link that never existed. */
const ended = () =>
  new Fault('unauthenticated', 'The link was used or has expired. Request another one.');

const invalidKey = () =>
  new Fault('unauthenticated', 'The API key is malformed, unknown, expired or revoked.');

/** The key of a link, or the key itself, locked until the end of the transaction. @throws Fault `unauthenticated` */
async function lockedKey(
  session: Session,
  { kind, sha256 }: InputOf<OpenSession>['by'],
): Promise<ApiKey> {
  const find = kind === 'link' ? keyOfLink : keyOfSecret;
  const refusal = kind === 'link' ? ended() : invalidKey();
  const [found] = await session.query<{ workspace_id: string; id: string }>(find, [
    Buffer.from(sha256, 'hex'),
  ]);
  if (!found) throw refusal;
  const { workspace_id: workspaceId, id } = found;
  const key = await session.em.findOne(
    ApiKey,
    { workspaceId, id, revokedAt: null },
    { lockMode: LockMode.PESSIMISTIC_READ },
  );
  if (!key || (key.expiresAt && key.expiresAt.getTime() <= Date.now())) throw refusal;
  return key;
}

async function useUp(session: Session, sha256: string) {
  const [link] = await session.query<{ by_identity: boolean }>(remove, [
    Buffer.from(sha256, 'hex'),
  ]);
  return link;
}

interface LinkRow {
  workspace_id: string;
  user_id: string;
  workspace_name: string;
  user_name: string;
  /** Milliseconds since the epoch. */
  expires_ms: number;
}

/** A look-up in session_links_sha256, without a workspace, because the secret determines it, as in the next two. */
const describe: Statement = {
  name: 'session-links.describe',
  text: `
    select l.workspace_id, k.user_id, w.name as workspace_name, u.name as user_name,
      (extract(epoch from l.expires_at) * 1000)::float8 as expires_ms
    from users.session_links l
      join users.api_keys k on k.workspace_id = l.workspace_id and k.id = l.key_id
      join users.workspaces w on w.id = l.workspace_id
      join users.users u on u.workspace_id = l.workspace_id and u.id = k.user_id
    where l.sha256 = $1 and l.expires_at > clock_timestamp()
      and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`,
};

const keyOfLink: Statement = {
  name: 'session-links.key',
  text: `
    select workspace_id, key_id as id from users.session_links
    where sha256 = $1 and expires_at > clock_timestamp()`,
};

const remove: Statement = {
  name: 'session-links.use',
  text: 'delete from users.session_links where sha256 = $1 returning by_identity',
};

const keyOfSecret: Statement = {
  name: 'sessions.key',
  text: `
    select workspace_id, id from users.api_keys where sha256 = $1
    union all
    select workspace_id, id from users.api_keys
    where previous_sha256 = $1 and previous_until > clock_timestamp()`,
};

const insert: Statement = {
  name: 'sessions.insert',
  text: `
    insert into users.sessions
      (workspace_id, id, user_id, key_id, sha256, created_at, expires_at, last_used_at, address, user_agent, by_identity)
    select workspace_id, $3::uuid, user_id, id, $4, t.now, least(t.now + $5 * interval '1 second', expires_at), t.now, $6, $7, $8
    from users.api_keys, (select clock_timestamp() as now) t
    where workspace_id = $1 and id = $2`,
};

/** The sessions of a key that expired, and its oldest ones beyond the limit. Those that another opening removes are left to it. */
const removeOldest: Statement = {
  name: 'sessions.remove-oldest',
  text: `
    with surplus as (
      select id, expires_at > clock_timestamp() as is_valid from users.sessions
      where workspace_id = $1 and key_id = $2 and (
        expires_at <= clock_timestamp() or id in (
          select id from users.sessions where workspace_id = $1 and key_id = $2 order by id desc offset $3
        )
      )
      for update skip locked
    )
    delete from users.sessions s using surplus
    where s.workspace_id = $1 and s.id = surplus.id
    returning s.id, surplus.is_valid`,
};
