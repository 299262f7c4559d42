import { checksumOf, encodeId, Fault } from '@roster/contracts';
import test from 'ava';
import { randomUUID, hash } from 'node:crypto';
import { bearer, gatewayFor, sharedGateway } from '../../test-gateway.js';

const random = 'z'.repeat(30);
const adminKey = `rak_${random}${checksumOf(random)}`;
const path = '/v1/admin/workspaces';
const shared = sharedGateway(test);

test.beforeEach(() => {
  shared().stubs.answer('admin-keys.verify', ({ input }) => ({
    state:
      (input as { adminKey: string }).adminKey === hash('sha256', adminKey) ? 'valid' : 'invalid',
  }));
});

const send = (target: string, init: RequestInit = {}, key = adminKey) =>
  fetch(shared().url + target, {
    ...init,
    headers: { ...bearer(key), 'content-type': 'application/json', ...(init.headers as object) },
  });
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;
const workspace = {
  ...{ id: encodeId('workspace', randomUUID()), name: 'Acme', externalId: null },
  ...{ status: 'active', createdAt: '2026-01-31T09:00:00.000Z' },
};

test.serial('without a configured key, the paths are as those that do not exist', async (t) => {
  shared().stubs.answer('admin-keys.verify', () => ({ state: 'off' }));
  for (const key of [adminKey, 'x']) {
    const response = await send(path, {}, key);
    t.is(response.status, 404);
    t.is(await codeOf(response), 'not_found');
  }
  t.is((await fetch(shared().url + path)).status, 404);
});

test.serial(
  'an API key, another key and none are refused before the request is read',
  async (t) => {
    const { apiKey } = shared().stubs.makeKey();
    const other = `rak_${'y'.repeat(30)}${checksumOf('y'.repeat(30))}`;
    const before = shared().stubs.calls('admin-workspaces.create').length;
    for (const key of [apiKey, other, '']) {
      const response = await send(path, { method: 'POST', body: 'no JSON' }, key);
      t.is(response.status, 401);
      t.is(await codeOf(response), 'unauthenticated');
    }
    t.is(shared().stubs.calls('admin-workspaces.create').length, before);
  },
);

test.serial('an admin key is refused where API keys are accepted', async (t) => {
  for (const target of ['/v1/contacts', '/v1/users/me']) {
    const response = await send(target);
    t.is(response.status, 401);
  }
});

test.serial(
  'sends the hash of the key with the input of the request, and answers with the path of the new workspace',
  async (t) => {
    const result = {
      workspace,
      owner: { id: encodeId('user', randomUUID()), email: 'a@example.com', name: 'A' },
      apiKey: { id: encodeId('key', randomUUID()), secret: 'rsk_x' },
    };
    shared().stubs.answer('admin-workspaces.create', () => result);
    const body = { name: 'Acme', ownerEmail: 'a@example.com', ownerName: 'A' };
    const response = await send(path, { method: 'POST', body: JSON.stringify(body) });
    t.is(response.status, 201);
    t.is(response.headers.get('location'), `${path}/${workspace.id}`);
    t.deepEqual(await response.json(), result);
    const { input, caller, address } = shared().stubs.calls('admin-workspaces.create').at(-1)!;
    t.deepEqual(input, { ...body, adminKey: hash('sha256', adminKey) });
    t.is(caller.workspaceId, '');
    t.is(address, '127.0.0.1');
  },
);

test.serial('reads pages, with links to others', async (t) => {
  shared().stubs.answer('admin-workspaces.list', () => ({
    workspaces: [workspace],
    pagination: { limit: 1, next: 'cursor' },
  }));
  const response = await send(`${path}?limit=1&name=ac`);
  t.is(response.status, 200);
  t.regex(response.headers.get('link')!, /<workspaces\?limit=1&name=ac&after=cursor>; rel="next"/);
  t.like(shared().stubs.calls('admin-workspaces.list').at(-1)!.input, { limit: 1, name: 'ac' });
});

test.serial('reports unknown and invalid fields, those of other inputs among them', async (t) => {
  const invalid = async (init: RequestInit, target = path) => {
    const response = await send(target, init);
    t.is(response.status, 422);
    return (await response.json()) as { errors?: { pointer: string }[]; detail: string };
  };
  const withKey = JSON.stringify({
    ...{ name: '', ownerEmail: 'a@example.com', ownerName: 'A' },
    adminKey: hash('sha256', adminKey),
  });
  const { errors } = await invalid({ method: 'POST', body: withKey });
  t.deepEqual(errors!.map(({ pointer }) => pointer).toSorted(), ['/adminKey', '/name']);
  await invalid({}, `${path}?adminKey=1`);
  await invalid({}, `${path}/wksp_x`);
  const { detail } = await invalid({
    ...{ method: 'POST', body: '{}' },
    headers: { 'idempotency-key': 'k' },
  });
  t.regex(detail, /Idempotency-Key/);
});

test.serial('faults of the service are answered as its others', async (t) => {
  shared().stubs.answer('admin-workspaces.get', () => new Fault('not_found', 'No such workspace.'));
  const response = await send(`${path}/${workspace.id}`);
  t.is(response.status, 404);
});

test('bounds the invalid keys of an address', async (t) => {
  const gateway = await gatewayFor(t, { FAILED_AUTHENTICATIONS_PER_MINUTE: 2 });
  gateway.stubs.answer('admin-keys.verify', () => ({ state: 'invalid' }));
  const statuses = [];
  for (let count = 0; count < 3; count += 1)
    statuses.push((await fetch(gateway.url + path, { headers: bearer(adminKey) })).status);
  t.deepEqual(statuses, [401, 401, 429]);
});
