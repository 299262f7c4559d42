import { Fault, uuidOf } from '@roster/contracts';
import test from 'ava';
import { callAs, eventsOf, makeWorkspace, usersBench } from './users-bench.js';

const bench = usersBench(test);

test('creates a user whose last access is the time of creation', async (t) => {
  const owner = await makeWorkspace(bench());
  const { user } = await create(owner, 'grace@example.com', 'Grace Hopper');
  t.like(user, { email: 'grace@example.com', name: 'Grace Hopper' });
  t.regex(user.id, /^usr_/);
  t.is(user.lastAccessedAt, user.createdAt);
  const me = await bench().bus.call('users.me', {}, callAs({ ...owner, userId: user.id }));
  t.is(me.user.createdAt, user.createdAt);
});

test('writes exactly one event, with the workspace and the user', async (t) => {
  const owner = await makeWorkspace(bench(), 'Engines "№ 1"');
  const { user } = await create(owner, 'grace@example.com', 'Grace 🐞');
  const { workspaceId } = owner;
  t.deepEqual(await eventsOf(bench(), uuidOf('workspace', workspaceId)), [
    {
      event: 'WORKSPACE_TEAM_MEMBER_JOINED',
      created_at: user.createdAt,
      data: {
        workspace: { id: workspaceId, name: 'Engines "№ 1"' },
        user: { id: user.id, email: 'grace@example.com', name: 'Grace 🐞' },
      },
    },
  ]);
});

test('refuses an email that differs only in case, with the ID of the user who has it, and writes no event', async (t) => {
  const owner = await makeWorkspace(bench());
  const { user } = await create(owner, 'Élodie@Example.com', 'Élodie');
  const fault = await t.throwsAsync(create(owner, 'élodie@example.COM', 'Another'), {
    instanceOf: Fault,
  });
  t.is(fault?.code, 'conflict');
  t.is(fault?.details.existingId, user.id);
  t.is((await eventsOf(bench(), uuidOf('workspace', owner.workspaceId))).length, 1);
});

test('refuses an email that differs only in composition or the encoding of its domain', async (t) => {
  const owner = await makeWorkspace(bench());
  const { user } = await create(owner, 'José@exämple.test', 'José');
  t.is(user.email, 'José@exämple.test');
  for (const email of ['JOSE\u0301@EXÄMPLE.test', 'josé@xn--exmple-cua.test'])
    await t.throwsAsync(create(owner, email, 'José'), { code: 'conflict' }, email);
});

test('two workspaces may have users with the same email', async (t) => {
  const [first, second] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const users = await Promise.all(
    [first, second].map((owner) => create(owner, 'grace@example.com', 'Grace')),
  );
  t.not(users[0]!.user.id, users[1]!.user.id);
  t.is((await eventsOf(bench(), uuidOf('workspace', second.workspaceId))).length, 1);
});

test('creates the other users of a batch with a refused call', async (t) => {
  const owner = await makeWorkspace(bench());
  const emails = ['one@example.com', 'ADA@example.com', 'two@example.com', 'One@example.com'];
  const outcomes = await Promise.allSettled(emails.map((email) => create(owner, email, 'Name')));
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
  );
  t.is((await eventsOf(bench(), uuidOf('workspace', owner.workspaceId))).length, 2);
});

test('answers a repeated Idempotency-Key with the first response, and creates one user and one event', async (t) => {
  const owner = await makeWorkspace(bench());
  const first = await create(owner, 'grace@example.com', 'Grace', 'again');
  const second = await create(owner, 'grace@example.com', 'Grace', 'again');
  t.deepEqual(second, first);
  t.is((await eventsOf(bench(), uuidOf('workspace', owner.workspaceId))).length, 1);
});

test('of concurrent calls with one Idempotency-Key, one creates a user, and the others are refused or replayed', async (t) => {
  const owner = await makeWorkspace(bench());
  const grace = () => create(owner, 'grace@example.com', 'Grace', 'twin');
  const outcomes = await Promise.allSettled([
    grace(),
    new Promise((resolve) => setImmediate(resolve)).then(grace),
  ]);
  const created = await grace();
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') t.deepEqual(outcome.value, created);
    else t.is((outcome.reason as Fault).code, 'idempotency_key_in_use');
  t.true(outcomes.some(({ status }) => status === 'fulfilled'));
  t.is((await eventsOf(bench(), uuidOf('workspace', owner.workspaceId))).length, 1);
});

test('does not store a refusal: the Idempotency-Key may be used again', async (t) => {
  const owner = await makeWorkspace(bench());
  await t.throwsAsync(create(owner, 'ada@example.com', 'Ada', 'retry'), { instanceOf: Fault });
  await t.notThrowsAsync(create(owner, 'grace@example.com', 'Grace', 'retry'));
});

function create(
  owner: { workspaceId: string; userId: string },
  email: string,
  name: string,
  idempotencyKey?: string,
) {
  const carried = idempotencyKey === undefined ? {} : { idempotencyKey };
  return bench().bus.call('users.create', { email, name }, callAs(owner, carried));
}
