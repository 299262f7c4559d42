import { eventually } from '@roster/testing';
import { Client, fetchExchange, subscriptionExchange, type Exchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import test, { type ExecutionContext } from 'ava';
import { createClient as createSseClient } from 'graphql-sse';
import type { TestKey } from '../../stub-services.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { PublishedEvents } from '../subscriptions/published-events.js';
import {
  contactsDocument,
  createDocument,
  emailsOf,
  emailsOfMany,
  eventsDocument,
  type ContactsResult,
} from './client-documents.js';
import { stubManyContacts } from './many-contacts.js';

let gateway: TestGateway;
let key: TestKey;
test.before(async () => {
  gateway = await testGateway();
  stubManyContacts(gateway.stubs, 500);
  key = gateway.stubs.makeKey();
});
test.after.always(() => gateway.close());

const headersOf = ({ apiKey }: TestKey) => ({ authorization: `Bearer ${apiKey}` });

const openClient = (...exchanges: Exchange[]): Client =>
  new Client({
    url: `${gateway.url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: headersOf(key) },
    exchanges,
  });

async function readContacts(
  client: Client,
  variables: Record<string, unknown>,
): Promise<ContactsResult> {
  const result = await client.query<ContactsResult>(contactsDocument, variables).toPromise();
  if (!result.data) throw result.error ?? new Error('no data');
  return result.data;
}

test('urql reads 500 contacts with its Relay pagination', async (t) => {
  const cache = cacheExchange({ resolvers: { Query: { contacts: relayPagination() } } });
  const client = openClient(cache, fetchExchange);
  let data = await readContacts(client, { first: 100 });
  while (data.contacts.pageInfo.hasNextPage) {
    const after = data.contacts.pageInfo.endCursor;
    data = await readContacts(client, { first: 100, after });
  }
  t.deepEqual(emailsOf(data), emailsOfMany(500));
});

test('urql reads 500 contacts backwards', async (t) => {
  const client = openClient(fetchExchange);
  const emails: string[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await readContacts(client, { last: 90, before });
    emails.unshift(...emailsOf(page));
    if (!page.contacts.pageInfo.hasPreviousPage) break;
    before = page.contacts.pageInfo.startCursor;
  }
  t.deepEqual(emails, emailsOfMany(500));
});

test('urql reads the code of an error', async (t) => {
  const client = openClient(fetchExchange);
  const { error } = await client.mutation(createDocument, { input: { email: 'x' } }).toPromise();
  t.is(error!.graphQLErrors[0]!.extensions['code'], 'invalid');
});

test('urql receives events over SSE', async (t) => {
  const events = await PublishedEvents.open(gateway.stubs);
  const client = openClient(overSse(t));
  const kinds: string[] = [];
  const { unsubscribe } = client
    .subscription<{ events: { kind: string } }>(eventsDocument, {})
    .subscribe(({ data: event }) => void (event && kinds.push(event.events.kind)));
  await eventually(async () => {
    await events.publish(key.workspaceId, 'x', 'CONTACT_DELETED');
    return kinds.includes('CONTACT_DELETED');
  });
  unsubscribe();
  t.pass();
});

function overSse(t: ExecutionContext): Exchange {
  const stream = createSseClient({ url: `${gateway.url}/graphql`, headers: headersOf(key) });
  t.teardown(() => stream.dispose());
  return subscriptionExchange({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: (sink) => ({
        unsubscribe: stream.subscribe(
          { query, ...(variables && { variables: { ...(variables as object) } }) },
          sink as never,
        ),
      }),
    }),
  });
}
