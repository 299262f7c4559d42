import { auditEntriesMax, encodeId, uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import test from 'ava';
import {
  callAs,
  callAsSystem,
  makeWorkspace,
  webhooksBench,
  type Workspace,
} from './webhooks-bench.js';

const bench = webhooksBench(test);
const ids = new IdClock();
const userId = encodeId('user', ids.next());
const keyId = encodeId('key', ids.next());

test('at the limit of a day, returns no token whose reading is not recorded, and changes nothing', async (t) => {
  const workspace = makeWorkspace();
  const { id } = await make(workspace, { idempotencyKey: 'first' });
  const input = { webhookId: id };
  const before = await storedOf(workspace);
  await fill(workspace);
  const { bus } = bench();
  const attempts = [
    () => make(workspace),
    () => make(workspace, { idempotencyKey: 'first' }),
    () => bus.call('webhooks.get', input, contextOf(workspace)),
    () => bus.call('webhooks.update', { ...input, url }, contextOf(workspace)),
    () => bus.call('webhooks.update', { ...input, url: `${url}/2` }, contextOf(workspace)),
    () => bus.call('webhooks.rotate-token', { ...input, overlapSeconds: 0 }, contextOf(workspace)),
    () => bus.call('webhooks.enable', input, contextOf(workspace)),
  ];
  for (const attempt of attempts) await t.throwsAsync(attempt(), { code: 'rate_limited' });
  const repeated = make(workspace, { idempotencyKey: 'first' });
  await t.throwsAsync(repeated, { message: /^The request was applied before\./ });
  t.deepEqual(await storedOf(workspace), before);
});

test('at the limit of a day, answers reads that are recorded already, and those of other workspaces in the same batch', async (t) => {
  const [workspace, other] = [makeWorkspace(), makeWorkspace()];
  const [known, unread] = [await make(workspace), await make(workspace)];
  const foreign = await make(other);
  await read(workspace, known.id);
  await fill(workspace);
  const outcomes = await Promise.allSettled([
    read(workspace, known.id),
    read(workspace, unread.id),
    read(workspace, unread.id),
    read(other, foreign.id),
  ]);
  t.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
});

test('at the limit of a day, webhooks can be disabled and deleted, and are disabled automatically', async (t) => {
  const workspace = makeWorkspace();
  const made = [await make(workspace), await make(workspace), await make(workspace)];
  const [one, two, three] = made.map(({ id }) => ({ webhookId: id }));
  await fill(workspace);
  const { bus } = bench();
  await bus.call('webhooks.disable', one!, contextOf(workspace));
  await bus.call('webhooks.delete', two!, contextOf(workspace));
  const shutOff = { ...workspace, ...three!, reason: 'The receiver answered 410 Gone.' };
  await bus.call('webhooks.shut-off', shutOff, callAsSystem());
  const { entries } = await bus.call(
    'webhooks.audit-entries',
    { ...workspace, limit: 100 },
    callAsSystem(),
  );
  t.is(entries.length, 6);
});

const url = 'https://example.com/hooks';

const make = async (workspace: Workspace, options: { idempotencyKey?: string } = {}) => {
  const input = { url, events: ['CONTACT_CREATED' as const] };
  const context = { ...contextOf(workspace), ...options };
  return (await bench().bus.call('webhooks.create', input, context)).webhook;
};

const read = (workspace: Workspace, webhookId: string) =>
  bench().bus.call('webhooks.get', { webhookId }, contextOf(workspace));

const contextOf = (workspace: Workspace) => callAs({ ...workspace, userId, keyId });

const fill = (workspace: Workspace) =>
  query('fill', `update webhooks.audit_days set entries = ${auditEntriesMax}`, workspace);

/** The webhooks and the entries of a workspace. */
const storedOf = async (workspace: Workspace) => [
  await query('hooks', 'select webhooks::text as row from webhooks.webhooks', workspace),
  await query('entries', 'select audit_log::text as row from webhooks.audit_log', workspace),
];

const query = (name: string, text: string, { workspaceId }: Workspace) =>
  bench().database.query({ name: `test.${name}`, text: `${text} where workspace_id = $1` }, [
    uuidOf('workspace', workspaceId),
  ]);
