import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Client } from './client.js';
import { sharedAdminKey, sharedRoster } from './running-roster.js';

const path = '/v1/admin/workspaces';

interface Created {
  workspace: { id: string; name: string; status: string };
  apiKey: { secret: string };
}

const adminOf = (baseUrl: string) => new Client({ baseUrl, apiKey: sharedAdminKey });

/** A workspace that was created with an admin key, and a client with its API key. */
async function createWorkspace(baseUrl: string) {
  const admin = adminOf(baseUrl);
  const input = {
    ...{ name: 'Tenant', externalId: randomUUID() },
    ...{ ownerEmail: 'owner@example.com', ownerName: 'Owner' },
  };
  const { status, body } = await admin.post<Created>(path, input);
  const owner = new Client({ baseUrl, apiKey: body.apiKey.secret });
  return { admin, input, status, ...body, owner, one: `${path}/${body.workspace.id}` };
}

test('an admin key creates, finds and renames a workspace, whose key works at once', async (t) => {
  const { baseUrl } = await sharedRoster(t);
  const { admin, input, status, workspace, owner, one } = await createWorkspace(baseUrl);
  t.is(status, 201);
  t.is((await owner.post('/v1/contacts', { email: 'a@example.com' })).status, 201);
  const found = await admin.get<{ workspaces: object[] }>(`${path}?externalId=${input.externalId}`);
  t.deepEqual(found.body.workspaces, [workspace]);
  t.is((await admin.send('PUT', one, { name: 'Renamed' })).status, 200);
  const { body } = await admin.get<{ workspace: object }>(one);
  t.like(body.workspace, { name: 'Renamed' });
  t.is((await admin.get(`${one}/users`)).status, 200);
  t.is((await admin.post(path, input)).status, 409);
  t.is((await owner.get(path)).status, 401);
});
