import { hash, randomBytes } from 'node:crypto';
import {
  decodeId,
  encodeId,
  exportLinkLimits,
  Fault,
  tokenSecondsMax,
  uuidOf,
  type Operations,
} from '@roster/contracts';
import { each, type Statement } from '@roster/storage';
import { callerKey } from '../keys/caller-key.js';
import type { UsersService } from '../service.js';
import { requireSigner } from '../sessions/sign-in.js';

/** Makes a link that downloads an export once. Only its hash is stored, so that a repeated call makes another one. */
export const createExportLink = ({ ids }: UsersService) =>
  each<Operations['export-links.create']>(async ({ caller, input }, session) => {
    const key = await callerKey(session, caller);
    const secret = `rel_${randomBytes(24).toString('hex')}`;
    const [row] = await session.query<{ expires_ms: number }>(insert, [
      ...[uuidOf('workspace', caller.workspaceId), ids.next(), key.id],
      decodeId('session', caller.keyId) ?? null,
      hash('sha256', secret, 'buffer'),
      JSON.stringify(input),
      ...[exportLinkLimits.seconds, exportLinkLimits.ofKey],
    ]);
    const expiresAt = new Date(Math.round(row!.expires_ms)).toISOString();
    return { link: { secret, path: `exports/${secret}`, expiresAt } };
  });

/**
 * Of calls with the same link, one deletes its row and gets a token, which exports and does nothing else. An export is not begun again:
 * whoever needs another one makes another link.
 */
export const useExportLink = ({ signer }: UsersService) =>
  each<Operations['export-links.use']>(async (call, session) => {
    const trusted = requireSigner(signer);
    const [row] = await session.query<UsedLink>(use, [Buffer.from(call.input.link, 'hex')]);
    if (!row)
      throw new Fault('unauthenticated', 'The link was used or has expired. Request another one.');
    const { session_id: sessionId, ends_ms: endsMs, database_ms: databaseMs } = row;
    const caller = {
      workspaceId: encodeId('workspace', row.workspace_id),
      userId: encodeId('user', row.user_id),
      keyId: sessionId === null ? encodeId('key', row.key_id) : encodeId('session', sessionId),
      scopes: ['api_user' as const],
      token: { readOnly: true, operations: ['contacts.export'] },
    };
    // An export ends with its token: as late as with a key, if that is valid for so long.
    const seconds =
      endsMs === null ? tokenSecondsMax : Math.min(tokenSecondsMax, (endsMs - databaseMs) / 1000);
    return { token: trusted.signToken(caller, seconds, databaseMs).text, input: row.input };
  });

interface UsedLink {
  workspace_id: string;
  key_id: string;
  session_id: string | null;
  user_id: string;
  input: Record<string, unknown>;
  /** End of the key or the session, in milliseconds since the epoch. Null if it has none. */
  ends_ms: number | null;
  database_ms: number;
}

/** The links of the key that expired are removed, and the oldest ones beyond the limit. Those that another call removes are left to it. */
const insert: Statement = {
  name: 'export-links.insert',
  text: `
    with surplus as (
      select id from users.export_links where workspace_id = $1 and key_id = $3 and (
        expires_at <= clock_timestamp() or id in (
          select id from users.export_links where workspace_id = $1 and key_id = $3 order by id desc offset $8::int - 1
        )
      )
      for update skip locked
    ), removed as (
      delete from users.export_links l using surplus where l.workspace_id = $1 and l.id = surplus.id
    )
    insert into users.export_links (workspace_id, id, key_id, session_id, sha256, input, expires_at)
    values ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 second')
    returning (extract(epoch from expires_at) * 1000)::float8 as expires_ms`,
};

/**
 * A look-up in export_links_sha256, without a workspace, because the secret determines it. A link whose key may not export any more is
 * left to its expiry.
 */
const use: Statement = {
  name: 'export-links.use',
  text: `
    with used as (
      delete from users.export_links l
      using users.api_keys k
      where l.sha256 = $1 and l.expires_at > clock_timestamp()
        and k.workspace_id = l.workspace_id and k.id = l.key_id and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp()) and 'api_user' = any (k.scopes)
        and (l.session_id is null or exists (
          select from users.sessions s
          where s.workspace_id = l.workspace_id and s.id = l.session_id and s.expires_at > clock_timestamp()
        ))
      returning l.workspace_id, l.key_id, l.session_id, k.user_id, l.input, k.expires_at
    )
    select u.workspace_id, u.key_id, u.session_id, u.user_id, u.input,
      (extract(epoch from least(u.expires_at, s.expires_at)) * 1000)::float8 as ends_ms,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
    from used u left join users.sessions s on s.workspace_id = u.workspace_id and s.id = u.session_id`,
};
