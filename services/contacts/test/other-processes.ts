import { uuidOf } from '@roster/contracts';
import { openLog } from '@roster/process';
import { lockKey, openDatabase } from '@roster/storage';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { entities } from '../entities/index.js';
import { migrations } from '../migrations/index.js';
import { schema } from '../service.js';
import type { RunningContacts, Workspace } from './running-contacts.js';

/** Connections of another process of the service. */
export async function openReplica(t: ExecutionContext, running: RunningContacts) {
  const database = await openDatabase({
    url: `${running.databaseUrl}?lock_timeout=60000`,
    schema,
    poolMax: 5,
    entities,
    migrations,
    log: openLog('replica', 'silent'),
  });
  t.teardown(() => database.close());
  return database;
}

const lock = {
  name: 'test.lock-key',
  text: `select pg_backend_pid() as pid, ${lockKey(schema, 'i')} as locked
    from unnest(array[$1::uuid], array[$2::text], array[$3::text]) as i (workspace_id, credential, sent_key)`,
};

/** Holds the lock of a key, as a process that handles a call with it. */
export async function heldKey(
  t: ExecutionContext,
  running: RunningContacts,
  workspace: Workspace,
  key: string,
) {
  const gate = Promise.withResolvers<void>();
  const held = Promise.withResolvers<number>();
  const transaction = running.database
    .transaction(async (session) => {
      const values = [uuidOf('workspace', workspace.id), workspace.caller.keyId, key];
      const [row] = await session.query<{ pid: number; locked: boolean }>(lock, values);
      t.true(row!.locked);
      held.resolve(row!.pid);
      await gate.promise;
    })
    .catch(() => undefined);
  const pid = await held.promise;
  const release = async () => {
    gate.resolve();
    await transaction;
  };
  t.teardown(release);
  return { pid, release };
}

/** Stores keys as a process of 0.2.0, which locks the key of the user: committed when a statement waits for them. */
export async function storedKeys(
  t: ExecutionContext,
  running: RunningContacts,
  workspace: Workspace,
  keys: string[],
) {
  const { database } = running;
  const store = {
    name: 'test.store',
    text: `insert into contacts.idempotency_keys (workspace_id, key, user_id, operation, input_sha256, answer)
      select $1, key, $3, 'contacts.any', '', '{}' from unnest($2::text[]) as i (key) returning pg_backend_pid() as pid`,
  };
  const gate = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<number>();
  const transaction = database.transaction(async (session) => {
    const user = uuidOf('user', workspace.caller.userId);
    const values = [uuidOf('workspace', workspace.id), keys, user];
    const [row] = await session.query<{ pid: number }>(store, values);
    stored.resolve(row!.pid);
    await gate.promise;
  });
  t.teardown(() => gate.resolve());
  const pid = await stored.promise;
  const waits = {
    name: 'test.waits',
    text: 'select 1 from pg_stat_activity where $1::int = any (pg_blocking_pids(pid))',
  };
  const release = async () => {
    await eventually(async () => (await database.query(waits, [pid])).length > 0);
    gate.resolve();
    await transaction;
  };
  return { release };
}
