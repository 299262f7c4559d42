import { Client as UrqlClient, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { eventually } from '@roster/testing';
import test from 'ava';
import { createClient as createSseClient } from 'graphql-sse';
import { inParallel } from '../client.js';
import { sharedRoster, type SharedRoster } from '../running-roster.js';
import { newFrontend, range, soon, type Frontend } from './frontend.js';

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});

test('a frontend creates 500 contacts, pages through them with a stock client, and reads 150 at once', async (t) => {
  t.timeout(60_000);
  const { apiKey, url, query } = await newFrontend(roster, 'Many contacts');
  const ids = await createContacts(query, 500);
  const pages = await readPages(url, apiKey);
  t.deepEqual(
    pages.map(({ totalCount }) => totalCount),
    [500, 500, 500, 500, 500],
  );
  const seen = pages.at(-1)!.edges.map(({ node }) => node.id);
  t.deepEqual(seen, seen.toSorted(), 'in the order of their creation');
  t.deepEqual(seen, ids.toSorted());

  const wanted = ids.slice(0, 150);
  const aliases = wanted.map((id, n) => `c${n}: contact(id: "${id}") { id email }`);
  const found = await query<Record<string, { id: string }>>(`{ ${aliases.join('\n')} }`);
  t.deepEqual(
    Object.values(found).map(({ id }) => id),
    wanted,
  );
});

/** Creates contacts, 50 by each of ten simultaneous documents. */
async function createContacts(query: Frontend['query'], count: number): Promise<string[]> {
  const created = await inParallel(range(count / 50), 10, async (part) => {
    const fields = range(50).map(
      (n) =>
        `c${n}: createContact(input: {email: "c${part * 50 + n}@example.com"}) { contact { id } }`,
    );
    const data = await query<Record<string, { contact: { id: string } }>>(
      `mutation { ${fields.join('\n')} }`,
    );
    return Object.values(data).map(({ contact }) => contact.id);
  });
  return created.flat();
}

/** Reads all contacts with urql and its Relay pagination, which returns all pages read so far. */
async function readPages(url: string, apiKey: string): Promise<Contacts['contacts'][]> {
  const client = new UrqlClient({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${apiKey}` } },
    exchanges: [
      cacheExchange({ resolvers: { Query: { contacts: relayPagination() } } }),
      fetchExchange,
    ],
  });
  const document = `query ($after: String) {
    contacts(first: 100, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } edges { cursor node { id } }
    }
  }`;
  const pages: Contacts['contacts'][] = [];
  for (let after: string | undefined, more = true; more;) {
    const { data, error } = await client.query<Contacts>(document, { after }).toPromise();
    if (!data) throw error ?? new Error('no data');
    pages.push(data.contacts);
    ({ hasNextPage: more, endCursor: after } = data.contacts.pageInfo);
  }
  return pages;
}

interface Contacts {
  contacts: {
    totalCount: number;
    pageInfo: { hasNextPage: boolean; endCursor: string };
    edges: { node: { id: string } }[];
  };
}

test('a frontend reads the contacts of its workspace that match a filter, page by page, in each order', async (t) => {
  const [frontend, stranger] = await Promise.all([
    newFrontend(roster, 'Segments'),
    newFrontend(roster, 'Segments of others'),
  ]);
  const create = (n: number) =>
    `c${n}: createContact(input: {email: "c${(n * 7) % 25}@example.com", properties: {rank: "${String.fromCharCode(97 + ((n * 3) % 25))}"}, tags: ["${n < 22 ? 'vip' : 'other'}"]}) { contact { id } }`;
  const mutation = `mutation { ${range(25).map(create).join('\n')} }`;
  await Promise.all([frontend.query(mutation), stranger.query(mutation)]);
  const document = `query ($after: String, $filter: ContactFilter, $sort: ContactSort, $by: ContactPropertySort) {
    contacts(first: 10, after: $after, filter: $filter, sort: $sort, sortProperty: $by) {
      totalCount totalIsEstimate pageInfo { hasNextPage endCursor } edges { cursor node { id email } }
    }
  }`;
  const read = async (variables: { filter?: object; sort?: string; by?: object }) => {
    const found: { id: string; email: string }[] = [];
    for (let after: string | undefined, more = true; more;) {
      const { contacts } = await frontend.query<Found>(document, { ...variables, after });
      t.is(contacts.totalIsEstimate, false);
      found.push(...contacts.edges.map(({ node }) => node));
      t.is(contacts.totalCount, variables.filter ? 22 : 25);
      const { hasNextPage, endCursor } = contacts.pageInfo;
      if (hasNextPage) t.is(contacts.edges.at(-1)!.cursor, endCursor);
      [more, after] = [hasNextPage, endCursor];
    }
    return found;
  };
  const all = await read({});
  t.is(all.length, 25);
  const filter = { tag: ['vip'] };
  const oldest = await read({ filter, sort: 'CREATED_AT' });
  t.is(oldest.length, 22);
  t.deepEqual(
    oldest,
    all.filter((one) => oldest.some(({ id }) => id === one.id)),
  );
  t.deepEqual(await read({ filter, sort: 'CREATED_AT_DESC' }), oldest.toReversed());
  const byEmail = (a: { email: string }, b: { email: string }) => (a.email < b.email ? -1 : 1);
  t.deepEqual(await read({ filter, sort: 'EMAIL' }), oldest.toSorted(byEmail));
  t.deepEqual(await read({ sort: 'EMAIL' }), all.toSorted(byEmail));
  // Addresses and letters are in different orders.
  const byRank = range(25).map((rank) => all[range(25).findIndex((n) => (n * 3) % 25 === rank)]!);
  t.deepEqual(await read({ by: { name: 'rank' } }), byRank);
  const down = byRank.filter((one) => oldest.some(({ id }) => id === one.id)).toReversed();
  t.deepEqual(await read({ filter, by: { name: 'rank', descending: true } }), down);
  const backwards = await frontend.query<Found>(
    `{ contacts(last: 4, sortProperty: {name: "rank"}) { totalCount totalIsEstimate pageInfo { hasNextPage hasPreviousPage endCursor } edges { cursor node { id email } } } }`,
  );
  const last = backwards.contacts.edges;
  t.deepEqual(
    last.map(({ node }) => node),
    byRank.slice(-4),
  );
  const before = await frontend.query<Found>(
    `query ($c: String) { contacts(last: 2, before: $c, sortProperty: {name: "rank"}) { totalCount totalIsEstimate pageInfo { hasNextPage hasPreviousPage endCursor } edges { cursor node { id email } } } }`,
    { c: last[0]!.cursor },
  );
  t.like(before.contacts.pageInfo, { hasNextPage: true, hasPreviousPage: true });
  t.deepEqual(
    before.contacts.edges.map(({ node }) => node),
    byRank.slice(-6, -4),
  );
});

interface Found {
  contacts: {
    totalCount: number;
    totalIsEstimate: boolean;
    pageInfo: { hasNextPage: boolean; endCursor: string };
    edges: { cursor: string; node: { id: string; email: string } }[];
  };
}

test('errors name the cause and the field, as REST does, and leave the rest of the response intact', async (t) => {
  const { attempt, query } = await newFrontend(roster, 'Errors');
  const create = `mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }`;
  const wrong = await attempt(create, { input: { email: 'x', tags: [''] } });
  t.like(wrong.errors?.[0], { path: ['createContact'], extensions: { code: 'invalid' } });
  t.deepEqual(
    wrong.errors?.[0]?.extensions.errors?.map(({ pointer }) => pointer),
    ['/email', '/tags/0'],
  );
  const input = { email: 'ada@example.com' };
  const { createContact } = await query<{ createContact: { contact: { id: string } } }>(create, {
    input,
  });
  const again = await attempt(create, { input: { email: 'ADA@example.com' } });
  const existingId = createContact.contact.id;
  t.like(again.errors?.[0]?.extensions, { code: 'conflict', existingId });

  const stranger = await newFrontend(roster, 'Stranger');
  const theirs = await stranger.query(`{ contact(id: "${existingId}") { id } me { name } }`);
  t.deepEqual(theirs, { contact: null, me: { name: 'Owner' } });
  const change = `mutation ($id: ID!) { updateContact(input: {id: $id, name: "Mine"}) { contact { id } } }`;
  const missing = await stranger.attempt(change, { id: existingId });
  t.is(missing.errors?.[0]?.extensions.code, 'not_found');
  const partial = await attempt('{ me { name } contacts(first: 1000) { totalCount } }');
  t.deepEqual(partial.data, { me: { name: 'Owner' }, contacts: null });
  t.is(partial.errors?.[0]?.extensions.errors?.[0]?.pointer, '/first');
});

test('a subscription receives an event of the workspace when it occurs, and resumes after it later', async (t) => {
  t.timeout(60_000);
  const { apiKey, url, query } = await newFrontend(roster, 'Subscription');
  const stream = createSseClient({ url, headers: { authorization: `Bearer ${apiKey}` } });
  t.teardown(() => stream.dispose());
  const create = (email: string) =>
    query(`mutation { createContact(input: {email: "${email}"}) { contact { id } } }`);
  const document = `subscription ($after: ID) { events(kinds: [CONTACT_CREATED], after: $after) {
    id kind ... on ContactEvent { contact { email } } } }`;
  const listen = (after?: string) => {
    const events: { id: string; contact: { email: string } }[] = [];
    const end = stream.subscribe<{ events: (typeof events)[number] }>(
      { query: document, variables: { after: after ?? null } },
      {
        next: ({ data }) => void (data && events.push(data.events)),
        error: () => {},
        complete: () => {},
      },
    );
    return { events, end };
  };

  const live = listen();
  let n = 0;
  // The start of a subscription is not acknowledged, and earlier events are not sent to it.
  await eventually(async () => {
    await create(`live${n++}@example.com`);
    return live.events.length > 0;
  }, soon);
  live.end();
  const [first] = live.events;
  t.regex(first!.contact.email, /^live\d+@example\.com$/);

  await create('while-away@example.com');
  const resumed = listen(first!.id);
  const emails = () => resumed.events.map(({ contact }) => contact.email);
  await eventually(() => emails().includes('while-away@example.com'), soon);
  t.false(emails().includes(first!.contact.email));
  resumed.end();
});
