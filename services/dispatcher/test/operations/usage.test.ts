import { encodeId, operations, type Operations, type OutputOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Database } from '@roster/storage';
import { callAsSystem } from '@roster/testing';
import test from 'ava';
import { handlers } from '../../handlers.js';
import { countDays, dayCounter } from '../../operations/usage.js';
import type { DispatcherService } from '../../service.js';
import { dispatcherDatabase } from '../dispatcher-database.js';

const ids = new IdClock();
const dayMs = 86_400_000;
const dayAt = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);

const insertHour = (
  database: Database,
  workspaceId: string,
  hour: string,
  attempts: number,
  successes: number,
) =>
  database.query(
    {
      name: 'test.insert-hour',
      text: `insert into dispatcher.webhook_hours values ($1, $2, $3, $4, $5, '{1}')`,
    },
    [workspaceId, ids.next(), hour, attempts, successes],
  );

const usageOf = async (database: Database, workspace: string, from = dayAt(9), to = dayAt(0)) => {
  const handle = handlers({ database, sourceAddresses: [] } as unknown as DispatcherService)[
    'dispatcher.usage'
  ];
  const workspaceId = encodeId('workspace', workspace);
  const input = operations['dispatcher.usage'].input.parse({ workspaceId, from, to });
  const [answer] = await handle([{ ...callAsSystem(), input }]);
  const { days } = answer as OutputOf<Operations['dispatcher.usage']>;
  return days.toSorted((a, b) => a.day.localeCompare(b.day));
};

test('a day has the attempts of all webhooks of the workspace in its hours in UTC, also when these are deleted', async (t) => {
  const database = await dispatcherDatabase(t);
  const [workspace, other] = [ids.next(), ids.next()];
  await insertHour(database, workspace, `${dayAt(6)}T00:00:00Z`, 3, 1);
  await insertHour(database, workspace, `${dayAt(1)}T23:00:00Z`, 10, 9);
  await insertHour(database, workspace, `${dayAt(1)}T23:00:00Z`, 10, 8);
  await insertHour(database, workspace, `${dayAt(0)}T00:00:00Z`, 2, 2);
  await insertHour(database, other, `${dayAt(1)}T12:00:00Z`, 1, 1);
  const before = await usageOf(database, workspace);
  t.deepEqual(before, [{ day: dayAt(0), attempts: 2, succeeded: 2 }]);
  await countDays(database);
  const expected = [
    { day: dayAt(6), attempts: 3, succeeded: 1 },
    { day: dayAt(1), attempts: 20, succeeded: 17 },
    { day: dayAt(0), attempts: 2, succeeded: 2 },
  ];
  t.deepEqual(await usageOf(database, workspace), expected);
  t.deepEqual(await usageOf(database, workspace, dayAt(6), dayAt(1)), expected.slice(0, 2));
  t.deepEqual(await usageOf(database, other), [{ day: dayAt(1), attempts: 1, succeeded: 1 }]);
  await database.query(
    { name: 'test.forget', text: 'delete from dispatcher.webhook_hours where hour < $1' },
    [`${dayAt(0)}T00:00:00Z`],
  );
  await countDays(database);
  t.deepEqual(await usageOf(database, workspace), expected);
});

test('counting again, also by several processes, adds nothing twice, and what was recorded late', async (t) => {
  const database = await dispatcherDatabase(t);
  const workspace = ids.next();
  await insertHour(database, workspace, `${dayAt(1)}T23:00:00Z`, 1, 1);
  const counters = Array.from({ length: 4 }, () => dayCounter(database));
  await Promise.all(counters.map((count) => count()));
  await insertHour(database, workspace, `${dayAt(1)}T23:00:00Z`, 1, 0);
  await Promise.all(counters.map((count) => count()));
  t.deepEqual(await usageOf(database, workspace), [{ day: dayAt(1), attempts: 2, succeeded: 1 }]);
});
