import type { CallerSigner } from '@roster/bus';
import {
  encodeId,
  Fault,
  faultMessages,
  sessionLimits,
  type Caller,
  type Operations,
  type OutputOf,
  type Scope,
  workspaceSuspended,
  type WorkspaceStatus,
} from '@roster/contracts';
import { isSameDigest } from '@roster/process';
import type { Session, Statement } from '@roster/storage';

/** A valid session, as its browser sees it. Times are milliseconds since the epoch, by the clock of the database. */
export interface OpenSession {
  workspace_id: string;
  id: string;
  user_id: string;
  sha256: Buffer;
  scopes: Scope[];
  workspace_name: string;
  workspace_status: WorkspaceStatus;
  user_name: string;
  user_email: string;
  created_ms: number;
  expires_ms: number;
  database_ms: number;
}

/**
 * The session with a secret, whose use is recorded: every minute at most, and every 30 s for the user.
 *
 * @throws Fault `unauthenticated`, `workspace_suspended`
 */
export async function useSession(
  session: Session,
  sha256: Buffer,
  address: string | undefined,
): Promise<OpenSession> {
  const [row] = await session.query<OpenSession>(use, [sha256, address ?? null]);
  if (!row || !isSameDigest(row.sha256, sha256))
    throw new Fault('unauthenticated', 'The session has ended. Sign in again.');
  if (row.workspace_status !== 'active') throw workspaceSuspended();
  return row;
}

export const callerOf = ({ workspace_id, user_id, id, scopes }: OpenSession): Caller => ({
  workspaceId: encodeId('workspace', workspace_id),
  userId: encodeId('user', user_id),
  keyId: encodeId('session', id),
  scopes,
});

/** @throws Fault `unavailable` */
export function requireSigner(signer: CallerSigner | undefined): CallerSigner {
  if (signer) return signer;
  throw new Fault('unavailable', faultMessages.unavailable, {
    reason: 'CALLER_SIGNING_KEY is not set: tokens cannot be signed',
  });
}

/** A page asks for the next token before the present one expires: none is shorter. */
const freshMsMin = 60_000;

/**
 * A browser token of a session. While the sign-in is fresh, it expires when that ends: whether it does is then judged as the expiry of
 * every token is, by clocks that the gateway and the services trust.
 */
export function signIn(
  signer: CallerSigner,
  row: OpenSession,
): OutputOf<Operations['sessions.create-token']> {
  const { database_ms: now, created_ms, expires_ms, scopes } = row;
  const freshUntil = created_ms + sessionLimits.freshSeconds * 1000;
  const isFresh = freshUntil - now > freshMsMin;
  const caller = callerOf(row);
  const { text, expiresAt } = signer.signToken(
    { ...caller, token: { readOnly: false, operations: null, isFresh } },
    Math.min(
      sessionLimits.tokenSeconds,
      ((isFresh ? Math.min(freshUntil, expires_ms) : expires_ms) - now) / 1000,
    ),
    now,
  );
  return {
    token: text,
    expiresAt: timeOf(expiresAt),
    session: {
      id: caller.keyId,
      expiresAt: timeOf(expires_ms),
      freshUntil: timeOf(freshUntil),
    },
    workspace: { id: caller.workspaceId, name: row.workspace_name },
    user: { id: caller.userId, name: row.user_name, email: row.user_email },
    scopes,
  };
}

const timeOf = (ms: number): string => new Date(Math.round(ms)).toISOString();

/** A look-up in sessions_sha256, without a workspace, because the secret determines it. A locked user is not updated. */
const use: Statement = {
  name: 'sessions.use',
  text: `
    with found as materialized (
      select s.workspace_id, s.id, s.user_id, s.sha256, s.created_at, s.last_used_at, k.scopes,
        least(s.expires_at, k.expires_at) as ends_at
      from users.sessions s join users.api_keys k on k.workspace_id = s.workspace_id and k.id = s.key_id
      where s.sha256 = $1 and k.revoked_at is null and least(s.expires_at, k.expires_at) > clock_timestamp()
    ), used as (
      update users.sessions s set last_used_at = clock_timestamp(), address = $2
      from found f
      where s.workspace_id = f.workspace_id and s.id = f.id and f.last_used_at < clock_timestamp() - interval '1 minute'
    ), due as (
      select u.workspace_id, u.id from users.users u
      where (u.workspace_id, u.id) in (select workspace_id, user_id from found)
        and u.last_accessed_at < clock_timestamp() - interval '30 seconds'
      for no key update skip locked
    ), seen as (
      update users.users u set last_accessed_at = clock_timestamp()
      from due where u.workspace_id = due.workspace_id and u.id = due.id
    )
    select f.workspace_id, f.id, f.user_id, f.sha256, f.scopes,
      w.name as workspace_name, w.status as workspace_status, u.name as user_name, u.email as user_email,
      (extract(epoch from f.created_at) * 1000)::float8 as created_ms,
      (extract(epoch from f.ends_at) * 1000)::float8 as expires_ms,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
    from found f
      join users.workspaces w on w.id = f.workspace_id
      join users.users u on u.workspace_id = f.workspace_id and u.id = f.user_id`,
};
