import { hash } from 'node:crypto';
import { encodeId, hasValidChecksum, keyShape, type Scope } from '@roster/contracts';
import type { Database, Statement } from './database.js';
import { Problem } from './problem.js';
import type { Caller, Handler } from './state.js';

const trustedMs = 5000;
const knownMax = 10_000;
const bearer = /^bearer +([^ ]+) *$/i;

/** The caller of a key, cached for seconds. */
export class Keys {
  readonly #database: Database;
  readonly #known = new Map<string, { caller: Caller; until: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Accepts requests whose key has the scope. */
  require(scope: Scope): Handler {
    return async (ctx, next) => {
      ctx.state.caller = await this.#verify(ctx.get('Authorization'));
      if (!ctx.state.caller.scopes.includes(scope))
        throw new Problem('insufficient_scope', `The API key does not have the scope ${scope}.`);
      await next();
    };
  }

  async #verify(authorization: string): Promise<Caller> {
    const key = bearer.exec(authorization)?.[1];
    if (key === undefined || !keyShape.test(key) || !hasValidChecksum(key)) throw refused();
    const sha256 = hash('sha256', key, 'hex');
    const now = Date.now();
    const known = this.#known.get(sha256);
    if (known && known.until > now) return known.caller;
    const [row] = await this.#database.query<KeyRow>(verify, [Buffer.from(sha256, 'hex')]);
    if (!row) throw refused();
    const caller: Caller = {
      workspaceId: encodeId('workspace', row.workspace_id),
      userId: encodeId('user', row.user_id),
      keyId: encodeId('key', row.id),
      scopes: row.scopes,
      workspaceUuid: row.workspace_id,
      userUuid: row.user_id,
    };
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(sha256, { caller, until: now + trustedMs });
    return caller;
  }
}

interface KeyRow {
  id: string;
  workspace_id: string;
  user_id: string;
  scopes: Scope[];
}

const refused = () =>
  new Problem('unauthenticated', 'The API key is malformed, unknown, expired or revoked.');

const verify: Statement = {
  name: 'keys.verify',
  text: `
    with found as (
      select * from users.api_keys
      where sha256 = $1 and revoked_at is null and (expires_at is null or expires_at > now())
    ), seen as (
      update users.users u set last_accessed_at = now()
      from found f
      where u.workspace_id = f.workspace_id and u.id = f.user_id
        and u.last_accessed_at < now() - interval '30 seconds'
    )
    select id, workspace_id, user_id, scopes from found`,
};
