import { eventually } from '@roster/testing';
import test from 'ava';
import { Client } from './client.js';
import { shown } from './owned-resources.js';
import { startReceiver } from './receiver.js';
import { sharedRoster, type SharedRoster } from './running-roster.js';

const lists = shown.filter(({ output }) => fieldsOf(output).includes('pagination'));

test('Link headers lead through every list to its end, and back where there is a link to the previous page', async (t) => {
  const roster = await sharedRoster(t);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const client = new Client(roster);
  const webhookId = await fillLists(client, receiver.url, roster);
  await eventually(async () => (await readPage(client, '/v1/events')).ids.length === 20, {
    timeoutMs: 20_000,
  });

  const paths = lists.map(({ http }) => http.path.replace('{webhookId}', webhookId));
  const orders = [
    '/v1/contacts?tag=a%26b&property[p1]=New+York&sort=email',
    '/v1/contacts?sort=-property:p3',
  ];
  for (const path of [...paths, ...orders]) {
    const limited = (limit: number) => `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
    const whole = await readPage(client, limited(100));
    t.true(whole.ids.length >= 4, path);
    t.is(whole.links['next'], undefined, path);
    const forwards = await follow(client, limited(2), 'next');
    t.true(forwards.pages.length >= 2, path);
    t.deepEqual(forwards.pages.flat(), whole.ids, path);
    const { first, prev } = forwards.last.links;
    t.deepEqual((await readPage(client, first!)).ids, whole.ids.slice(0, 2), path);
    t.is(prev !== undefined, path.endsWith('/deliveries'), path);
    if (prev === undefined) continue;
    const backwards = await follow(client, prev, 'prev');
    const seen = [
      ...forwards.last.ids.toReversed(),
      ...backwards.pages.flatMap((page) => page.toReversed()),
    ];
    t.deepEqual(seen, whole.ids.toReversed(), path);
  }
});

/** Creates at least four entries for each list, and returns the ID of the webhook. */
async function fillLists(
  client: Client,
  url: string,
  { baseUrl, apiKey }: SharedRoster,
): Promise<string> {
  for (const n of [3, 0, 4, 1, 2]) {
    await client.post('/v1/contacts', {
      email: `c${n}@example.com`,
      tags: ['a&b', `t${n}`],
      properties: { [`p${n}`]: 'x', p1: 'New York' },
    });
    await client.post('/v1/api-keys', { name: `Key ${n}`, scopes: ['user'] });
    await client.post('/v1/users', { email: `u${n}@example.com`, name: `User ${n}` });
    await client.post('/v1/imports', 'email\n', { 'content-type': 'text/csv' });
    await client.post('/v1/suppressions', { email: `s${n}@example.com` });
    await client.post('/v1/contacts/actions', {
      filter: { tag: [`none${n}`] },
      change: { delete: true },
    });
  }
  const events = ['CONTACT_DELETED'];
  const { webhook } = (
    await client.post<{ webhook: { id: string } }>('/v1/webhooks', { url, events })
  ).body;
  for (let n = 0; n < 5; n += 1) {
    await client.post(`/v1/webhooks/${webhook.id}/test`, { kind: 'CONTACT_DELETED' });
    await client.post(`/v1/webhooks/${webhook.id}/replays`, { since: '2026-01-01T00:00:00Z' });
    await openSession(baseUrl, apiKey);
  }
  return webhook.id;
}

/** As the console does. */
async function openSession(baseUrl: string, apiKey: string): Promise<void> {
  const response = await fetch(`${baseUrl}/console/session/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ apiKey }),
  });
  if (!response.ok) throw new Error(`A session could not be opened: ${await response.text()}`);
}

/** A tag has no ID. */
interface Entry {
  id?: string;
  name?: string;
}

interface Page {
  ids: string[];
  /** Paths of other pages, by relation. */
  links: Record<string, string>;
}

async function readPage(client: Client, path: string): Promise<Page> {
  const { status, headers, body } = await client.get<Record<string, Entry[]>>(path);
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${JSON.stringify(body)}`);
  const links = headers.get('link')!.matchAll(/<(?<reference>[^>]*)>; rel="(?<rel>\w+)"/g);
  return {
    ids: Object.values(body)[0]!.map(({ id, name }) => id ?? name!),
    links: Object.fromEntries(
      [...links].map(({ groups }) => {
        const { pathname, search } = new URL(groups!['reference']!, `http://roster.example${path}`);
        return [groups!['rel']!, pathname + search];
      }),
    ),
  };
}

/** Reads a page and those that follow in one direction. */
async function follow(client: Client, path: string, rel: 'next' | 'prev') {
  const pages: string[][] = [];
  let last: Page;
  for (let next: string | undefined = path; next !== undefined; next = last.links[rel]) {
    last = await readPage(client, next);
    pages.push(last.ids);
  }
  return { pages, last: last! };
}

function fieldsOf(type: object): string[] {
  return 'shape' in type ? Object.keys(type.shape as object) : [];
}
