import { encodeId } from '@roster/contracts';
import { makeEvent, type Statement } from '@roster/storage';
import type { UsersService } from '../service.js';

const rowsMax = 500;

/**
 * Writes an event seven days before a key of any workspace expires, and one a day before. The transaction marks the key, so that each
 * is written once. If no process ran in between, only the later one is. A key that is created later than that has none: its owner has
 * just chosen the time.
 */
export async function announceExpiringKeys({
  database,
  outbox,
  ids,
}: Pick<UsersService, 'database' | 'outbox' | 'ids'>): Promise<void> {
  for (;;) {
    const count = await database.transaction(async (session) => {
      const keys = await session.query<ExpiringKey>(mark, [rowsMax]);
      await outbox.add(
        session,
        keys.map((key) => makeEvent(ids, key.workspace_id, 'KEY_EXPIRING', dataOf(key))),
      );
      return keys.length;
    });
    if (count < rowsMax) return;
  }
}

interface ExpiringKey {
  workspace_id: string;
  id: string;
  name: string;
  user_id: string;
  expires_ms: number;
}

const dataOf = ({ id, name, user_id: userId, expires_ms: expiresMs }: ExpiringKey) => ({
  apiKey: {
    id: encodeId('key', id),
    name,
    userId: encodeId('user', userId),
    expiresAt: new Date(expiresMs).toISOString(),
  },
});

// May scan the whole table. Rows that another process locks are left to it, or to the next run.
const mark: Statement = {
  name: 'keys.announce-expiring',
  plan: 'any',
  text: `
    with due as (
      select k.workspace_id, k.id, s.days
      from users.api_keys k, lateral (select case when k.expires_at <= now() + interval '1 day' then 1 else 7 end as days) s
      where k.expires_at > now() and k.expires_at <= now() + interval '7 days' and k.revoked_at is null
        and k.created_at <= k.expires_at - s.days * interval '1 day' and coalesce(k.announced_days > s.days, true)
      limit $1 for update of k skip locked
    )
    update users.api_keys k set announced_days = due.days
    from due where k.workspace_id = due.workspace_id and k.id = due.id
    returning k.workspace_id, k.id, k.name, k.user_id, (extract(epoch from k.expires_at) * 1000)::float8 as expires_ms`,
};
