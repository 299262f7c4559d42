import { uuidOf } from '@roster/contracts';
import test from 'ava';
import { callAs, eventsOf, makeWorkspace, seenAgo, usersBench } from './users-bench.js';

const bench = usersBench(test);

test('returns the time of the request itself as lastAccessedAt', async (t) => {
  const owner = await makeWorkspace(bench());
  await seenAgo(bench(), { userId: uuidOf('user', owner.userId), seconds: 3600 });
  const before = Date.now();
  const { user } = await me(owner);
  t.true(Date.parse(user.lastAccessedAt) >= before);
  t.true(Date.parse(user.createdAt) < before - 3_000_000);
});

test.serial(
  'answers each caller of a batch with their own record, with one statement',
  async (t) => {
    const owners = await Promise.all(Array.from({ length: 5 }, () => makeWorkspace(bench())));
    const callers = Array.from({ length: 100 }, (_, n) => owners[n % 5]!);
    const before = count();
    const answers = await Promise.all(callers.map(me));
    t.is(count() - before, 1);
    t.deepEqual(
      answers.map(({ user }) => user.id),
      callers.map(({ userId }) => userId),
    );
  },
);

test('does not find the user of a caller in another workspace', async (t) => {
  const [own, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  const strange = { workspaceId: other.workspaceId, userId: own.userId };
  await t.throwsAsync(me(strange), { code: 'unauthenticated' });
  await t.throwsAsync(update(strange, 'Mallory'), { code: 'unauthenticated' });
  t.is((await me(own)).user.name, 'Ada Lovelace');
});

test('changes the name, keeps the other fields, and counts as an access', async (t) => {
  const owner = await makeWorkspace(bench());
  await seenAgo(bench(), { userId: uuidOf('user', owner.userId), seconds: 60 });
  const { user } = await update(owner, 'Ada King');
  t.like(user, { id: owner.userId, name: 'Ada King', email: 'Ada@Example.com' });
  t.true(user.lastAccessedAt > user.createdAt);
  const after = await me(owner);
  t.is(after.user.name, 'Ada King');
  t.is(after.user.createdAt, user.createdAt);
});

test('an empty update counts as an access', async (t) => {
  const owner = await makeWorkspace(bench());
  await seenAgo(bench(), { userId: uuidOf('user', owner.userId), seconds: 60 });
  const { user } = await update(owner, undefined);
  t.is(user.name, 'Ada Lovelace');
  t.true(user.lastAccessedAt > user.createdAt);
});

test('applies updates of one user in one batch in order', async (t) => {
  const owner = await makeWorkspace(bench());
  const names = ['First', 'Second', 'Third'];
  const answers = await Promise.all(names.map((name) => update(owner, name)));
  t.deepEqual(
    answers.map(({ user }) => user.name),
    names,
  );
  t.is((await me(owner)).user.name, 'Third');
});

test('answers a repeated Idempotency-Key with the first response, and changes nothing', async (t) => {
  const owner = await makeWorkspace(bench());
  const first = await update(owner, 'Once', 'again');
  await update(owner, 'Later');
  t.deepEqual(await update(owner, 'Once', 'again'), first);
  t.is((await me(owner)).user.name, 'Later');
});

test('users of one workspace may use the same Idempotency-Key for different changes', async (t) => {
  const owner = await makeWorkspace(bench());
  const colleague = await colleagueOf(owner);
  const first = await update(owner, 'Same', 'shared');
  const second = await update(colleague, 'Same', 'shared');
  t.is(second.user.id, colleague.userId);
  t.is((await me(colleague)).user.name, 'Same');

  await update(owner, 'Later');
  await update(colleague, 'Later');
  t.deepEqual(await update(owner, 'Same', 'shared'), first);
  t.deepEqual(await update(colleague, 'Same', 'shared'), second);
  await t.throwsAsync(update(colleague, 'Other', 'shared'), {
    code: 'idempotency_key_reused',
  });
  t.is((await me(colleague)).user.name, 'Later');
});

test('rejects an Idempotency-Key that was used with a different request', async (t) => {
  const owner = await makeWorkspace(bench());
  await update(owner, 'Once', 'taken');
  await t.throwsAsync(update(owner, 'Twice', 'taken'), {
    code: 'idempotency_key_reused',
  });
  t.is((await me(owner)).user.name, 'Once');
});

test('writes no event', async (t) => {
  const owner = await makeWorkspace(bench());
  await update(owner, 'Ada King');
  t.deepEqual(await eventsOf(bench(), uuidOf('workspace', owner.workspaceId)), []);
});

const count = () => bench().statements.filter((name) => name === 'users.see').length;

interface Owner {
  workspaceId: string;
  userId: string;
}

async function colleagueOf(owner: Owner): Promise<Owner> {
  const input = { email: 'colleague@example.com', name: 'Colleague' };
  const { user } = await bench().bus.call('users.create', input, callAs(owner));
  return { workspaceId: owner.workspaceId, userId: user.id };
}

function me(owner: Owner) {
  return bench().bus.call('users.me', {}, callAs(owner));
}

function update(owner: Owner, name: string | undefined, idempotencyKey?: string) {
  const input = name === undefined ? {} : { name };
  return bench().bus.call(
    'users.update-me',
    input,
    callAs(owner, idempotencyKey === undefined ? {} : { idempotencyKey }),
  );
}
