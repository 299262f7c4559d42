import test from 'ava';
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
    const change = async (tag: string) =>
      (await send(roster, method, path, tag, bodies[name])).status;
    t.is(await change(`"${'A'.repeat(22)}"`), 412, name);
    t.is(await change(etag!), 200, name);
    if (isUpdate) t.is(await change(etag!), 412, `${name} again`);
  }
});

async function send(
  roster: { baseUrl: string; apiKey: string },
  method: string,
  path: string,
  ifMatch?: string,
  body?: object,
): Promise<{ status: number; etag: string | null }> {
  const { status, headers } = await new Client(roster).send(
    method,
    path,
    body,
    ifMatch === undefined ? {} : { 'if-match': ifMatch },
  );
  return { status, etag: headers.get('etag') };
}
