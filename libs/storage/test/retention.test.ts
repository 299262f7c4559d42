import { Migration } from '@mikro-orm/migrations';
import { eventually, throwawayDatabase } from '@roster/testing';
import test from 'ava';
import { openLog, openMetrics } from '@roster/process';
import { startRetention, type RetentionTask } from '../retention.js';
import { bootIdempotency, openDatabase } from '../index.js';
import { idempotencyKeys } from './tables.js';

class CreateKeys extends Migration {
  override up(): void {
    for (const statement of idempotencyKeys) this.addSql(statement);
  }
}

const log = openLog('test', 'silent');
const hour = 3_600_000;

function start(task: Omit<RetentionTask, 'task'>): () => void {
  return startRetention({ metrics: openMetrics('test'), log }, { task: 'probe', ...task });
}

test('a retention task runs within seconds of the start, whatever its interval', async (t) => {
  let runs = 0;
  const stop = start({ everyMs: hour, run: async () => (runs += 1) });
  t.teardown(stop);
  t.is(runs, 0, 'not immediately, because replicas often start together');
  await eventually(() => runs > 0, { timeoutMs: 10_000 });
  t.is(runs, 1);
});

test('a retention task runs again after its interval, also after a failure, and never concurrently', async (t) => {
  const running = Promise.withResolvers<void>();
  const attempts: string[] = [];
  const stop = start({
    everyMs: 10,
    async run() {
      attempts.push('began');
      if (attempts.length === 1) throw new Error('once');
      await running.promise;
      attempts.push('ended');
    },
  });
  t.teardown(stop);
  await eventually(() => attempts.length === 2, { timeoutMs: 10_000 });
  let ticks = 0;
  const others = setInterval(() => (ticks += 1), 10);
  t.teardown(() => clearInterval(others));
  await eventually(() => ticks >= 5);
  t.deepEqual(attempts, ['began', 'began']);
  running.resolve();
  await eventually(() => attempts.length >= 4);
});

test('stored responses older than a day are deleted soon after a start', async (t) => {
  const postgres = await throwawayDatabase();
  const database = await openDatabase({
    url: postgres.url,
    schema: 'probe',
    poolMax: 2,
    entities: [],
    migrations: [{ name: 'keys', class: CreateKeys }],
    log,
  });
  t.teardown(async () => {
    await database.close();
    await postgres.drop();
  });
  await database.query(
    {
      name: 'test.insert',
      text: `insert into probe.idempotency_keys (workspace_id, key, operation, input_sha256, created_at)
        select gen_random_uuid(), 'key', 'probe', '', now() - hours * interval '1 hour' from unnest(array[1, 25]) hours`,
    },
    [],
  );
  const select = { name: 'test.left', text: 'select 1 from probe.idempotency_keys' };
  t.is((await database.query(select, [])).length, 2);
  const context = { log, metrics: openMetrics('test'), onShutdown: t.teardown };
  bootIdempotency(context as Parameters<typeof bootIdempotency>[0], database, 'probe');
  await eventually(async () => (await database.query(select, [])).length === 1);
});
