import { encodeId } from '@roster/contracts';
import test from 'ava';
import { randomUUID } from 'node:crypto';
import { callAs, callAsSystem, makeWorkspace, usersBench } from './users-bench.js';

const bench = usersBench(test);

const pageOf = (limit: number, after?: string) =>
  bench().bus.call('workspaces.list', { limit, ...(after && { after }) }, callAsSystem());

test('operators compare the outbox with the stream', async (t) => {
  const since = new Date(0).toISOString();
  const input = { since, olderThanSeconds: 3600, repair: false };
  const page = await bench().bus.call('users.verify-outbox', input, callAsSystem());
  t.like(page, { unpublished: { count: 0 }, absent: { count: 0 }, next: null });
});

test('operators list all workspaces page by page, oldest first', async (t) => {
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) made.push((await makeWorkspace(bench())).workspaceId);
  const listed = [];
  let after: string | undefined;
  do {
    const { workspaces, pagination } = await pageOf(2, after);
    t.true(workspaces.length <= 2);
    listed.push(...workspaces);
    after = pagination.next ?? undefined;
  } while (after);
  const ids = listed.map(({ id }) => id);
  t.deepEqual(
    ids.filter((id) => made.includes(id)),
    made,
  );
  t.deepEqual(ids, ids.toSorted());
  t.deepEqual(
    new Set(listed.map((one) => Object.keys(one).join())),
    new Set(['id,name,createdAt']),
  );
});

test('operators list the users of the workspace that they name', async (t) => {
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const input = { email: 'second@example.com', name: 'Second' };
  await bench().bus.call('users.create', input, callAs(owner));
  for (const { workspaceId } of [owner, other])
    t.deepEqual(
      await bench().bus.call('workspaces.users', { workspaceId, limit: 10 }, callAsSystem()),
      await bench().bus.call('users.list', { limit: 10 }, callAs({ ...owner, workspaceId })),
    );
});

test('rejects a malformed cursor', async (t) => {
  await t.throwsAsync(pageOf(1, 'x'), { code: 'invalid' });
});

test('the name of a workspace is found by its ID', async (t) => {
  await makeWorkspace(bench());
  const { id, name } = (await pageOf(1)).workspaces[0]!;
  const nameOf = (workspaceId: string) =>
    bench().bus.call('workspaces.name', { workspaceId }, callAsSystem());
  t.deepEqual(await nameOf(id), { name });
  t.deepEqual(await nameOf(encodeId('workspace', randomUUID())), { name: null });
});
