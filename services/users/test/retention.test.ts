import { uuidOf } from '@roster/contracts';
import { purgeIdempotencyKeys } from '@roster/storage';
import test from 'ava';
import { auditLog, schema } from '../service.js';
import { makeWorkspace, usersBench } from './users-bench.js';

const bench = usersBench(test);

test.serial('entries of the audit log are deleted after 400 days, and no others', async (t) => {
  const id = await makeId();
  await insertEntries(id, 'old', '401 days');
  await insertEntries(id, 'recent', '399 days');
  await auditLog.purge(bench().database);
  t.deepEqual(await actionsOf(id), ['recent']);
});

test.serial('any number of entries is deleted, and no locked one is waited for', async (t) => {
  const id = await makeId();
  await insertEntries(id, 'old', '401 days', 12_000);
  const { database } = bench();
  await database.transaction(async (session) => {
    await session.em.execute(
      `select from users.audit_log where workspace_id = '${id}' and action = 'old' limit 1 for update`,
    );
    await auditLog.purge(database);
  });
  t.deepEqual(await actionsOf(id), ['old']);
  await auditLog.purge(database);
  t.deepEqual(await actionsOf(id), []);
});

test.serial('stored responses are deleted after a day, and no others', async (t) => {
  const id = await makeId();
  for (const age of ['25 hours', '23 hours'])
    await execute(`
      insert into users.idempotency_keys (workspace_id, key, operation, input_sha256, answer, created_at)
      values ('${id}', '${age}', 'users.create', '', '{}', now() - interval '${age}')`);
  await purgeIdempotencyKeys(bench().database, schema);
  const rows = await execute<{ key: string }>(
    `select key from users.idempotency_keys where workspace_id = '${id}'`,
  );
  t.deepEqual(rows, [{ key: '23 hours' }]);
});

const execute = <Row>(sql: string): Promise<Row[]> => bench().database.em.execute<Row[]>(sql);

/** The ID of a new workspace in the database. */
async function makeId(): Promise<string> {
  const { workspaceId } = await makeWorkspace(bench());
  return uuidOf('workspace', workspaceId);
}

const insertEntries = (workspaceId: string, action: string, age: string, number = 1) =>
  execute(`
    insert into users.audit_log (workspace_id, id, action, request_id, resource_id, created_at)
    select '${workspaceId}', gen_random_uuid(), '${action}', '', '', now() - interval '${age}'
    from generate_series(1, ${number})`);

/** Actions of the inserted entries that are left. */
async function actionsOf(workspaceId: string): Promise<string[]> {
  const rows = await execute<{ action: string }>(
    `select action from users.audit_log where workspace_id = '${workspaceId}' and request_id = ''`,
  );
  return rows.map(({ action }) => action);
}
