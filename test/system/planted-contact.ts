import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EraseContactInput, Roster } from '@roster/client';
import { eventually } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { Client } from './client.js';
import type { RunningRoster } from './running-roster.js';

export const soon = { timeoutMs: 60_000 };
/** What nobody else has. None begins with another. */
const secrets = {
  email: 'zq7secret-ada@example.com',
  former: 'zq7former-ada@example.com',
  name: 'Zq7nameofada',
  value: 'zq7valueofada',
  externalId: 'zq7externalofada',
};
export const planted = Object.values(secrets);
export const plantedEmail = secrets.email;

/** A receiver that answers with what it received: the first requests with 500, and others with 200. */
export async function startEcho(t: ExecutionContext) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      received.push(`${request.url} ${text}`);
      const isRefused = request.url === '/down' || received.length < 3;
      response
        .writeHead(
          isRefused ? 500 : 200,
          text.includes(secrets.email) ? { 'x-echo': secrets.email } : {},
        )
        .end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Uses every feature that stores something of a contact. Returns its ID. */
export async function plantContact(
  t: ExecutionContext,
  client: Roster,
  rest: Client,
  echo: { url: string; received: string[] },
): Promise<string> {
  const full = { events: ['*' as const], payload: 'full' as const };
  const webhook = await client.webhooks.create({ url: `${echo.url}/up`, ...full });
  await client.webhooks.create({ url: `${echo.url}/down`, ...full });
  const key = (name: string) => ({ 'idempotency-key': name });
  const others = ['first@example.com', 'last@example.com', 'kept@example.com'];
  const { former, email, name, value, externalId } = secrets;
  const properties = { note: value };
  const own = { email: former, name, externalId, properties };
  const { body } = await rest.post<{ results: { id: string }[] }>(
    '/v1/contacts/batch',
    {
      operations: [
        { action: 'create', email: others[0] },
        { action: 'create', ...own },
        { action: 'create', email: others[1] },
      ],
    },
    key('batch'),
  );
  const { id } = body.results[1]!;
  await rest.send('PUT', '/v1/contacts', { email: former, tags: [value] }, key('upsert'));
  await rest.send('PUT', `/v1/contacts/${id}`, { email, name: `${name} x` }, key('update'));
  await rest.send('PUT', `/v1/contacts/${id}`, { name }, key('again'));
  const rows = [
    'email,name,note',
    `${email},${name},${value} ${value}`,
    `${name} no address,${name},${value}`,
    `kept@example.com,,`,
    `kept2@example.com,${'n'.repeat(300)}${name},`,
  ].join('\n');
  const upload = await rest.post<{ import: { id: string } }>('/v1/imports', rows, {
    'content-type': 'text/csv',
  });
  const ended = async (path: string, noun: string) =>
    eventually(async () => {
      const { body: found } = await rest.get<Record<string, { endedAt: string | null }>>(path);
      return found[noun]!.endedAt !== null;
    }, soon);
  await ended(`/v1/imports/${upload.body.import.id}`, 'import');
  const action = await rest.post<{ action: { id: string } }>(
    '/v1/contacts/actions',
    { filter: { email, q: name }, change: { addTags: ['seen'] } },
    key('action'),
  );
  t.is(action.status, 202, JSON.stringify(action.body));
  await ended(`/v1/contacts/actions/${action.body.action.id}`, 'action');
  await client.contacts.unsubscribe(id);
  await rest.post('/v1/suppressions', { email }, key('suppression'));
  await rest.open('/v1/contacts/export').then((response) => response.text());
  const receivedBy = (path: string) =>
    echo.received.filter((one) => one.startsWith(path) && one.includes(id)).length;
  // Once the circuit of the webhook that fails is open, it receives hardly any more.
  await eventually(() => receivedBy('/up') >= 5 && receivedBy('/down') > 0, {
    ...soon,
    describe: 'events of the contact to be received',
  });
  const listed = await eventually(async () => {
    const { deliveries } = await client.deliveries.list(webhook.id, { status: 'delivered' });
    return deliveries.find(({ subject }) => subject?.contactId === id);
  }, soon);
  await rest.post(`/v1/deliveries/${listed.id}/retry`, {}, key('retry'));
  await rest.post(`/v1/webhooks/${webhook.id}/replays`, { since: new Date(0).toISOString() });
  return id;
}

export async function eraseAndWait(
  { contacts, erasures }: Roster,
  contactId: string,
  input?: EraseContactInput,
): Promise<void> {
  const { id } = await contacts.erase(contactId, input);
  await eventually(async () => (await erasures.get(id)).status === 'completed', {
    ...soon,
    describe: 'the end of the erasure',
  });
}

const paths = (ids: Ids) => [
  '/v1/contacts?limit=100',
  '/v1/contacts/export',
  '/v1/events?limit=100',
  '/v1/imports',
  '/v1/contacts/actions',
  '/v1/audit-log?limit=100',
  '/v1/deliveries?limit=100',
  '/v1/suppressions',
  ...ids.deliveries.map((id) => `/v1/deliveries/${id}`),
  ...ids.imports.map((id) => `/v1/imports/${id}/errors.csv`),
];

interface Ids {
  deliveries: string[];
  imports: string[];
}

/** What the API returns of the contact. */
export async function foundBehind(
  client: Roster,
  roster: Pick<RunningRoster, 'baseUrl' | 'apiKey'>,
): Promise<string[]> {
  const rest = new Client(roster);
  const { deliveries } = await client.deliveries.listAll({ limit: 100 });
  const { imports } = await client.imports.list({ limit: 10 });
  const found: string[] = [];
  const ids = { deliveries: deliveries.map(({ id }) => id), imports: imports.map(({ id }) => id) };
  for (const path of paths(ids)) {
    const text = await (await rest.open(path)).text();
    const hit = planted.find((secret) => text.toLowerCase().includes(secret.toLowerCase()));
    if (hit !== undefined) found.push(`${path} contains ${hit}`);
  }
  return found;
}
