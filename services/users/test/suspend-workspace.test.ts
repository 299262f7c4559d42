import { createHash } from 'node:crypto';
import type { Call } from '@roster/bus';
import { Fault, type Broadcasts } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { settleSuspensions } from '../operations/suspend-workspace.js';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const adminKey = createHash('sha256').update('an admin key').digest('hex');
const bench = usersBench(test, { adminKeyHashes: [adminKey] });

/** What the webhooks service was told, in that order. */
const told: { workspaceId: string; suspended: boolean }[] = [];
const heard: Broadcasts['workspaces.changed'][] = [];
let away = false;
let isServed = false;
test.beforeEach(() => {
  if (isServed) return;
  isServed = true;
  bench().bus.listen('workspaces.changed', (message) => heard.push(message));
  bench().bus.serve('webhooks', {
    'webhook-suspensions.set': async (calls: Call<(typeof told)[number]>[]) =>
      calls.map(({ input }) => {
        if (away) return new Fault('unavailable', 'Away.');
        told.push(input);
        return { suspended: input.suspended };
      }),
  } as never);
});

const changes = {
  suspend: 'admin-workspaces.suspend',
  resume: 'admin-workspaces.resume',
} as const;
const change = (verb: keyof typeof changes, workspaceId: string) =>
  bench().bus.call(changes[verb], { adminKey, workspaceId }, callAsSystem());
const suspended = { code: 'workspace_suspended' };
const toldOf = (id: string) =>
  told.filter(({ workspaceId }) => workspaceId === id).map((one) => one.suspended);

test.serial(
  'the keys of a suspended workspace are refused with a code of their own, and work again when it is resumed',
  async (t) => {
    const made = await makeWorkspace(bench());
    const { workspaceId, keyId, apiKey } = made;
    const other = await makeWorkspace(bench());
    const check = () => bench().bus.call('keys.check', { workspaceId, keyId }, callAsSystem());
    t.like((await change('suspend', workspaceId)).workspace, { status: 'suspended' });
    await t.throwsAsync(verify(bench(), apiKey), suspended);
    t.like(await check(), { valid: false, isSuspended: true });
    t.like(await verify(bench(), other.apiKey), { workspaceId: other.workspaceId });
    t.deepEqual(toldOf(workspaceId), [true]);
    await eventually(() => heard.some((one) => one.workspaceId === workspaceId));
    t.like((await change('resume', workspaceId)).workspace, { status: 'active' });
    t.like(await verify(bench(), apiKey), { workspaceId });
    t.like(await check(), { valid: true, isSuspended: undefined });
    t.deepEqual(toldOf(workspaceId), [true, false]);
  },
);

test.serial('a revoked key of a suspended workspace is refused as any other', async (t) => {
  const { workspaceId, keyId, apiKey } = await makeWorkspace(bench());
  await bench().bus.call('keys.revoke', { keyId }, callAsSystem());
  await change('suspend', workspaceId);
  await t.throwsAsync(verify(bench(), apiKey), { code: 'unauthenticated' });
});

test.serial('suspending twice changes and records nothing more', async (t) => {
  const made = await makeWorkspace(bench());
  const { workspaceId } = made;
  await Promise.all([change('suspend', workspaceId), change('suspend', workspaceId)]);
  await change('suspend', workspaceId);
  await change('resume', workspaceId);
  const rows = await bench().database.query<{ action: string }>(
    {
      name: 'test.suspensions',
      text: `select action from users.audit_log where resource_id = $1 order by id`,
    },
    [workspaceId],
  );
  t.deepEqual(
    rows.map(({ action }) => action),
    ['workspace.suspended', 'workspace.resumed'],
  );
  t.deepEqual(toldOf(workspaceId), [true, false]);
  t.truthy(await bench().bus.call('users.me', {}, callAs(made)));
});

test.serial(
  'while the webhooks service is away, keys are refused already, and it is told later',
  async (t) => {
    const { workspaceId, apiKey } = await makeWorkspace(bench());
    away = true;
    t.teardown(() => (away = false));
    await t.throwsAsync(change('suspend', workspaceId), { code: 'unavailable' });
    await t.throwsAsync(verify(bench(), apiKey), suspended);
    t.deepEqual(toldOf(workspaceId), []);
    away = false;
    await settleSuspensions(bench());
    t.deepEqual(toldOf(workspaceId), [true]);
    await settleSuspensions(bench());
    t.deepEqual(toldOf(workspaceId), [true]);
  },
);
