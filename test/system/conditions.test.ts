import test from 'ava';
import { randomUUID } from 'node:crypto';
import { Client } from './client.js';
import { createResources, shown } from './owned-resources.js';
import { sharedRoster } from './running-roster.js';

const bodies: Record<string, object> = {
  'contacts.update': { name: 'New' },
  'contact-properties.update': { label: 'New' },
  'users.update-me': { name: 'New' },
  'webhooks.update': { events: ['CONTACT_DELETED'] },
  'settings.update': { strictProperties: true },
  'workspaces.set-origins': { origins: ['https://app.example.com'] },
};

const changes = shown
  .filter(({ faults }) => faults.includes('precondition_failed'))
  .toSorted((a, b) => b.http.method.localeCompare(a.http.method));

test('every PUT and DELETE is applied to the version in If-Match only', async (t) => {
  const roster = await sharedRoster(t);
  const ids = await createResources(new Client(roster), 'https://example.com/');
  t.true(changes.length >= 9);
  for (const { name, http, resource } of changes) {
    const { method } = http;
    const path = http.path.replace(/\{.*\}/, resource ? ids[resource] : '');
    const isUpdate = method === 'PUT';
    t.is(name in bodies, isUpdate, `test/system/conditions.test.ts: the bodies lack ${name}`);
    const { etag } = await send(roster, 'GET', path);
    const change = (tag: string) => send(roster, method, path, tag, bodies[name]);
    const refused = await change(`"${'A'.repeat(22)}"`);
    t.is(refused.status, 412, name);
    t.is(versionIn(refused.etag!), versionIn(etag!), name);
    const changed = await change(refused.etag!);
    t.is(changed.status, 200, name);
    if (!isUpdate) continue;
    t.is((await change(etag!)).status, 412, `${name} again`);
    t.is(versionIn(changed.etag!), versionIn((await send(roster, 'GET', path)).etag!), name);
  }
});

test('the answer to a write has the ETag of the resource', async (t) => {
  const roster = await sharedRoster(t);
  const email = `${randomUUID()}@example.com`;
  const label = 'Stadt';
  const write = async (method: string, path: string, body: object, status: number) => {
    const answer = await send(roster, method, path, undefined, body);
    t.is(answer.status, status);
    const { etag } = await send(roster, 'GET', answer.location ?? `/v1/contacts/${answer.id}`);
    t.truthy(etag);
    t.is(answer.etag, etag, `${method} ${path}`);
    return answer.location ?? '';
  };
  const contact = await write('POST', '/v1/contacts', { email, properties: { city: 'x' } }, 201);
  await write('PUT', '/v1/contacts', { email, name: 'Zoë' }, 200);
  await write('PUT', '/v1/contacts', { email: `new-${email}`, tags: ['a'] }, 201);
  await write('POST', `${contact}/unsubscribe`, {}, 200);
  await write('POST', '/v1/contact-properties', { name: 'town', label }, 201);
});

const versionIn = (etag: string): string => etag.slice(1, 23);

interface Answer {
  status: number;
  etag: string | null;
  location: string | null;
  id: string | undefined;
}

async function send(
  roster: { baseUrl: string; apiKey: string },
  method: string,
  path: string,
  ifMatch?: string,
  body?: object,
): Promise<Answer> {
  const {
    status,
    headers,
    body: result,
  } = await new Client(roster).send(
    method,
    path,
    body,
    ifMatch === undefined ? {} : { 'if-match': ifMatch },
  );
  const { id } = (result['contact'] ?? {}) as { id?: string };
  return { status, etag: headers.get('etag'), location: headers.get('location'), id };
}
