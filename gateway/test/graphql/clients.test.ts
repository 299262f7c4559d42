import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { eventually } from '@roster/testing';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import test from 'ava';
import { OperationTypeNode } from 'graphql';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { TestKey } from '../stub-services.js';
import { testGateway, type TestGateway } from '../test-gateway.js';
import { stubManyContacts } from './many-contacts.js';
import { PublishedEvents } from './published-events.js';

let gateway: TestGateway;
let events: PublishedEvents;
let key: TestKey;
test.before(async () => {
  gateway = await testGateway();
  stubManyContacts(gateway.stubs, 500);
  events = await PublishedEvents.open(gateway.stubs);
  key = gateway.stubs.makeKey();
});
test.after.always(() => gateway.close());

const contactsDocument = gql`
  query Contacts($first: Int, $after: String, $last: Int, $before: String) {
    contacts(first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
      edges {
        cursor
        node {
          id
          email
        }
      }
    }
  }
`;
const createDocument = gql`
  mutation Create($input: CreateContactInput!) {
    createContact(input: $input) {
      contact {
        id
      }
    }
  }
`;
const eventsDocument = gql`
  subscription Events {
    events {
      id
      kind
    }
  }
`;

interface Contacts {
  contacts: {
    totalCount: number;
    pageInfo: {
      hasNextPage: boolean;
      hasPreviousPage: boolean;
      startCursor: string;
      endCursor: string;
    };
    edges: { cursor: string; node: { id: string; email: string } }[];
  };
}

const allEmails = Array.from({ length: 500 }, (_, index) => `c${index}@example.com`);
const emailsOf = ({ contacts }: Contacts) => contacts.edges.map(({ node }) => node.email);

test('Apollo Client pages through 500 contacts with its relay pagination, reads errors, and gets events', async (t) => {
  const headers = { authorization: `Bearer ${key.apiKey}` };
  const sockets = createWsClient({
    url: `${gateway.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: headers,
  });
  const client = new ApolloClient({
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { contacts: relayStylePagination() } } },
    }),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(sockets),
      new HttpLink({ uri: `${gateway.url}/graphql`, headers }),
    ),
  });
  t.teardown(() => {
    client.stop();
    void sockets.dispose();
  });

  const query = client.watchQuery<Contacts>({ query: contactsDocument, variables: { first: 100 } });
  const watching = query.subscribe(() => {});
  t.teardown(() => watching.unsubscribe());
  await eventually(() => query.getCurrentResult().dataState === 'complete');
  const current = () => query.getCurrentResult().data as Contacts;
  t.is(current().contacts.totalCount, 500);
  let { pageInfo } = current().contacts;
  while (pageInfo.hasNextPage) {
    const { data } = await query.fetchMore({ variables: { after: pageInfo.endCursor } });
    ({ pageInfo } = data.contacts);
  }
  await eventually(() => current().contacts.edges.length === 500);
  t.deepEqual(emailsOf(current()), allEmails);

  const error = await t.throwsAsync(
    client.mutate({ mutation: createDocument, variables: { input: { email: 'x' } } }),
  );
  t.true(CombinedGraphQLErrors.is(error));
  const [first] = (error as CombinedGraphQLErrors).errors;
  t.like(first!.extensions, { code: 'invalid' });
  t.is((first!.extensions!['errors'] as { pointer: string }[])[0]!.pointer, '/email');

  const kinds: string[] = [];
  const subscription = client
    .subscribe<{ events: { kind: string } }>({ query: eventsDocument })
    .subscribe(({ data }) => void (data && kinds.push(data.events.kind)));
  await eventually(async () => {
    await events.publish(key.workspaceId, 'x', 'CONTACT_DELETED');
    return kinds.includes('CONTACT_DELETED');
  });
  subscription.unsubscribe();
});

test('urql pages through 500 contacts from both ends with its relay pagination, reads errors, and gets events', async (t) => {
  const url = `${gateway.url}/graphql`;
  const headers = { authorization: `Bearer ${key.apiKey}` };
  const stream = createSseClient({ url, headers });
  t.teardown(() => stream.dispose());
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers },
    exchanges: [
      cacheExchange({ resolvers: { Query: { contacts: relayPagination() } } }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: stream.subscribe(
              { query, ...(variables && { variables: { ...(variables as object) } }) },
              sink as never,
            ),
          }),
        }),
      }),
    ],
  });
  const ask = async (variables: Record<string, unknown>): Promise<Contacts> => {
    const { data, error } = await client.query<Contacts>(contactsDocument, variables).toPromise();
    if (!data) throw error ?? new Error('no data');
    return data;
  };

  let data = await ask({ first: 100 });
  while (data.contacts.pageInfo.hasNextPage)
    data = await ask({ first: 100, after: data.contacts.pageInfo.endCursor });
  t.deepEqual(emailsOf(data), allEmails);

  const other = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers },
    exchanges: [fetchExchange],
  });
  const backwards: string[] = [];
  let before: string | undefined;
  for (;;) {
    const { data: page } = await other
      .query<Contacts>(contactsDocument, { last: 90, before })
      .toPromise();
    backwards.unshift(...emailsOf(page!));
    if (!page!.contacts.pageInfo.hasPreviousPage) break;
    before = page!.contacts.pageInfo.startCursor;
  }
  t.deepEqual(backwards, allEmails);

  const { error } = await client.mutation(createDocument, { input: { email: 'x' } }).toPromise();
  t.is(error!.graphQLErrors[0]!.extensions['code'], 'invalid');

  const kinds: string[] = [];
  const { unsubscribe } = client
    .subscription<{ events: { kind: string } }>(eventsDocument, {})
    .subscribe(({ data: event }) => void (event && kinds.push(event.events.kind)));
  await eventually(async () => {
    await events.publish(key.workspaceId, 'x', 'CONTACT_DELETED');
    return kinds.includes('CONTACT_DELETED');
  });
  unsubscribe();
});
