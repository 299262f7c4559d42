import { createHash, randomUUID } from 'node:crypto';
import type { Call } from '@roster/bus';
import { encodeId, Fault, uuidOf } from '@roster/contracts';
import test from 'ava';
import { forgetUsage } from '../operations/report-usage.js';
import { callAs, callAsSystem, makeWorkspace, usersBench } from './users-bench.js';

const adminKey = createHash('sha256').update('an admin key').digest('hex');
const bench = usersBench(test, { adminKeyHashes: [adminKey] });

type Wanted = { workspaceId: string; from: string; to: string };
/** What the other services were asked for. */
const asked: Wanted[] = [];
const away = new Set<string>();
let isServed = false;
test.beforeEach(() => {
  if (isServed) return;
  isServed = true;
  const answerOf = (days: (wanted: Wanted) => object[]) => async (calls: Call<Wanted>[]) =>
    calls.map(({ input }) => {
      if (away.has(input.workspaceId)) return new Fault('unavailable', 'Away.');
      asked.push(input);
      return { days: days(input) };
    });
  const { bus } = bench();
  bus.serve('contacts', {
    'contacts.usage': answerOf(({ to }) => [{ day: to, contacts: 7 }]),
  } as never);
  bus.serve('dispatcher', {
    'dispatcher.usage': answerOf(({ to }) => [{ day: to, attempts: 5, succeeded: 3 }]),
  } as never);
});

const dayMs = 86_400_000;
const dayAt = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);

const report = (
  workspaceId: string,
  requests: number,
  { gateway = randomUUID(), sequence = 1, day = dayAt(0) } = {},
) =>
  bench().bus.call(
    'usage.report',
    { gateway, sequence, day, requests: [{ workspaceId, requests }] },
    callAsSystem(),
  );

type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;
const usageOf = async (workspace: Workspace, period: { from?: string; to?: string } = {}) =>
  (await bench().bus.call('usage.get', period, callAs(workspace))).usage;
const adminUsageOf = async (workspaceId: string, period: { from?: string; to?: string } = {}) => {
  const input = { adminKey, workspaceId, ...period };
  return (await bench().bus.call('admin-workspaces.usage', input, callAsSystem())).usage;
};

test('reports of more requests than a day can have fail neither later reports nor the reading of usage', async (t) => {
  const workspace = await makeWorkspace(bench());
  const most = Number.MAX_SAFE_INTEGER;
  for (const requests of [...Array<number>(1100).fill(most), 1])
    await report(workspace.workspaceId, requests);
  const [today] = await usageOf(workspace, { from: dayAt(0), to: dayAt(0) });
  t.is(today!.requests, most);
});

test('usage has an entry for each day, with what the services counted', async (t) => {
  const workspace = await makeWorkspace(bench());
  await report(workspace.workspaceId, 12);
  await report(workspace.workspaceId, 4, { day: dayAt(1) });
  const usage = await usageOf(workspace);
  t.is(usage.length, 30);
  t.deepEqual(usage.slice(-2), [
    {
      ...{ day: dayAt(1), requests: 4, contacts: null },
      deliveries: { attempts: 0, succeeded: 0, failed: 0 },
    },
    {
      ...{ day: dayAt(0), requests: 12, contacts: 7 },
      deliveries: { attempts: 5, succeeded: 3, failed: 2 },
    },
  ]);
  t.deepEqual(await adminUsageOf(workspace.workspaceId), usage);
  const [day] = await usageOf(workspace, { from: dayAt(1), to: dayAt(1) });
  t.like(day, { day: dayAt(1), requests: 4 });
});

test('what two gateways report is added up, also at the same time', async (t) => {
  const workspace = await makeWorkspace(bench());
  const gateways = [randomUUID(), randomUUID()];
  for (const sequence of [1, 2, 3])
    await Promise.all(
      gateways.map((gateway) => report(workspace.workspaceId, 10, { gateway, sequence })),
    );
  t.is((await usageOf(workspace)).at(-1)!.requests, 60);
});

test('a report that arrives twice, at the same time or late, is added once', async (t) => {
  const workspace = await makeWorkspace(bench());
  const gateway = randomUUID();
  const send = (sequence: number) => report(workspace.workspaceId, 10, { gateway, sequence });
  await Promise.all([send(1), send(1), send(1)]);
  await send(2);
  await send(1);
  t.is((await usageOf(workspace)).at(-1)!.requests, 20);
});

test('usage of unknown workspaces, and of those that are being deleted, is not stored', async (t) => {
  const { workspaceId } = await makeWorkspace(bench());
  await bench().database.query(
    {
      name: 'test.deleting',
      text: `update users.workspaces set status = 'deleting' where id = $1`,
    },
    [uuidOf('workspace', workspaceId)],
  );
  const unknown = encodeId('workspace', randomUUID());
  for (const id of [workspaceId, unknown]) await report(id, 1);
  const rows = await bench().database.query(
    { name: 'test.rows', text: `select 1 from users.usage_days where workspace_id = any($1)` },
    [[workspaceId, unknown].map((id) => uuidOf('workspace', id))],
  );
  t.deepEqual(rows, []);
});

test('a service that is away is a fault, and no zero', async (t) => {
  const workspace = await makeWorkspace(bench());
  away.add(workspace.workspaceId);
  await t.throwsAsync(usageOf(workspace), { code: 'unavailable' });
  await t.throwsAsync(adminUsageOf(workspace.workspaceId), { code: 'unavailable' });
});

test('a period is bounded, and has no days to come or of which nothing is kept', async (t) => {
  const workspace = await makeWorkspace(bench());
  t.is((await usageOf(workspace, { from: dayAt(91) })).length, 92);
  await t.throwsAsync(usageOf(workspace, { from: dayAt(92) }), { code: 'invalid' });
  await t.throwsAsync(usageOf(workspace, { from: dayAt(0), to: dayAt(1) }), { code: 'invalid' });
  t.deepEqual(
    (await usageOf(workspace, { from: dayAt(1), to: dayAt(-5) })).map(({ day }) => day),
    [dayAt(1), dayAt(0)],
  );
  t.is((await usageOf(workspace, { to: dayAt(390) })).length, 11);
  asked.length = 0;
  for (const to of ['0000-01-05', '2999-01-01', dayAt(500)])
    t.deepEqual(await usageOf(workspace, { to }), []);
  t.deepEqual(
    asked.filter(({ workspaceId }) => workspaceId === workspace.workspaceId),
    [],
  );
});

test('the usage of an unknown workspace is not found, and needs an admin key', async (t) => {
  const { workspaceId } = await makeWorkspace(bench());
  await t.throwsAsync(adminUsageOf(encodeId('workspace', randomUUID())), { code: 'not_found' });
  const input = { adminKey: 'f'.repeat(64), workspaceId };
  await t.throwsAsync(bench().bus.call('admin-workspaces.usage', input, callAsSystem()), {
    code: 'unauthenticated',
  });
});

test('usage is kept for 400 days', async (t) => {
  const { workspaceId } = await makeWorkspace(bench());
  for (const day of [dayAt(402), dayAt(399)]) await report(workspaceId, 1, { day });
  await forgetUsage(bench().database);
  const rows = await bench().database.query<{ day: string }>(
    { name: 'test.days', text: `select day::text from users.usage_days where workspace_id = $1` },
    [uuidOf('workspace', workspaceId)],
  );
  t.deepEqual(rows, [{ day: dayAt(399) }]);
});
