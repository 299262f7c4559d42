import { generateKeyPairSync } from 'node:crypto';
import { CallerSigner } from '@roster/bus';
import { uuidOf } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test from 'ava';
import { callAs, callAsSystem, makeWorkspace, usersBench, verify } from './users-bench.js';

const { privateKey } = generateKeyPairSync('ed25519');
const bench = usersBench(test, { signer: new CallerSigner({ id: 'k1', key: privateKey }) });
type Workspace = Awaited<ReturnType<typeof makeWorkspace>>;

const [app, admin, local] = [
  'https://app.example.com',
  'https://admin.example.com:8443',
  'http://localhost:5173',
];

const list = async (owner: Workspace) =>
  (await bench().bus.call('workspaces.origins', {}, callAs(owner))).origins;
const set = async (owner: Workspace, origins: string[]) =>
  (await bench().bus.call('workspaces.set-origins', { origins }, callAs(owner))).origins;
const isListed = async (origin: string) =>
  (await bench().bus.call('origins.check', { origin }, callAsSystem())).isListed;

test('a workspace has no origins at first, and then those of the last request, sorted and without duplicates', async (t) => {
  const owner = await makeWorkspace(bench());
  t.deepEqual(await list(owner), []);
  t.deepEqual(await set(owner, [local, app, admin, app]), [local, admin, app]);
  t.deepEqual(await list(owner), [local, admin, app]);
  t.deepEqual(await set(owner, [app]), [app]);
  t.deepEqual(await list(owner), [app]);
  t.deepEqual(await set(owner, []), []);
});

test('a workspace neither sees nor changes the origins of another', async (t) => {
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  await set(owner, [app]);
  t.deepEqual(await list(other), []);
  await set(other, [app, admin]);
  await set(other, []);
  t.deepEqual(await list(owner), [app]);
});

test('of concurrent changes, one list results as a whole', async (t) => {
  const owner = await makeWorkspace(bench());
  const lists = [[app], [admin, local], ['https://a.example', 'https://b.example']];
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(lists.map((origins) => set(owner, origins)));
    const result = (await list(owner)).toSorted();
    t.true(
      lists.some((origins) => String(origins.toSorted()) === String(result)),
      String(result),
    );
  }
});

test('the verification of a key, and the check of the key of a token, state the origins of its workspace', async (t) => {
  const owner = await makeWorkspace(bench());
  const { keyId } = await verify(bench(), owner.apiKey);
  const check = () =>
    bench().bus.call('keys.check', { workspaceId: owner.workspaceId, keyId }, callAsSystem());
  t.deepEqual((await verify(bench(), owner.apiKey)).origins, []);
  t.deepEqual((await check()).origins, []);
  await set(owner, [app, local]);
  t.deepEqual((await verify(bench(), owner.apiKey)).origins?.toSorted(), [local, app]);
  t.deepEqual((await check()).origins?.toSorted(), [local, app]);
});

test('an origin is listed while any workspace lists it', async (t) => {
  const origin = 'https://listed.example.com';
  const [owner, other] = await Promise.all([makeWorkspace(bench()), makeWorkspace(bench())]);
  t.false(await isListed(origin));
  await Promise.all([set(owner, [origin]), set(other, [origin])]);
  t.true(await isListed(origin));
  await set(owner, []);
  t.true(await isListed(origin));
  await set(other, []);
  t.false(await isListed(origin));
});

test('a change is broadcast with the origins before and after it, also when it is repeated', async (t) => {
  const owner = await makeWorkspace(bench());
  const heard: string[][] = [];
  const stop = bench().bus.listen('origins.changed', ({ workspaceId, origins }) => {
    if (workspaceId === owner.workspaceId) heard.push(origins.toSorted());
  });
  t.teardown(stop);
  await bench().bus.link.nats.flush();
  for (const origins of [[app], [admin], [admin]]) await set(owner, origins);
  await eventually(() => heard.length === 3);
  t.deepEqual(heard, [[app], [admin, app], [admin]]);
});

test('a change is recorded in the audit log, and a request that changes nothing is not', async (t) => {
  const owner = await makeWorkspace(bench());
  for (const origins of [[app], [app], [app, admin]]) await set(owner, origins);
  const entries = await bench().database.query<{ before: unknown; after: unknown }>(
    {
      name: 'test.origins-recorded',
      text: `select resource_id, before, after from users.audit_log
             where action = 'origins.updated' and workspace_id = $1 order by id`,
    },
    [uuidOf('workspace', owner.workspaceId)],
  );
  t.deepEqual(entries, [
    { resource_id: owner.workspaceId, before: { origins: [] }, after: { origins: [app] } },
    {
      resource_id: owner.workspaceId,
      before: { origins: [app] },
      after: { origins: [admin, app] },
    },
  ] as never);
});
