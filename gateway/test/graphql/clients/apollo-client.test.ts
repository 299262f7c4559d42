import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
} from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { OperationTypeNode } from 'graphql';
import { createClient as createWsClient } from 'graphql-ws';
import { WebSocket } from 'ws';
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

function openClient(t: ExecutionContext): ApolloClient {
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
  return client;
}

test('Apollo Client reads 500 contacts with its Relay pagination', async (t) => {
  const variables = { first: 100 };
  const query = openClient(t).watchQuery<ContactsResult>({ query: contactsDocument, variables });
  const watching = query.subscribe(() => {});
  t.teardown(() => watching.unsubscribe());
  await eventually(() => query.getCurrentResult().dataState === 'complete');
  const current = () => query.getCurrentResult().data as ContactsResult;
  t.is(current().contacts.totalCount, 500);
  let { pageInfo } = current().contacts;
  while (pageInfo.hasNextPage) {
    const { data } = await query.fetchMore({ variables: { after: pageInfo.endCursor } });
    ({ pageInfo } = data.contacts);
  }
  await eventually(() => current().contacts.edges.length === 500);
  t.deepEqual(emailsOf(current()), emailsOfMany(500));
});

test('Apollo Client reads the code and the pointers of an error', async (t) => {
  const error = await t.throwsAsync(
    openClient(t).mutate({ mutation: createDocument, variables: { input: { email: 'x' } } }),
  );
  t.true(CombinedGraphQLErrors.is(error));
  const [first] = (error as CombinedGraphQLErrors).errors;
  t.like(first!.extensions, { code: 'invalid' });
  t.is((first!.extensions!['errors'] as { pointer: string }[])[0]!.pointer, '/email');
});

test('Apollo Client receives events over WebSocket', async (t) => {
  const events = await PublishedEvents.open(gateway.stubs);
  const kinds: string[] = [];
  const subscription = openClient(t)
    .subscribe<{ events: { kind: string } }>({ query: eventsDocument })
    .subscribe(({ data }) => void (data && kinds.push(data.events.kind)));
  await eventually(async () => {
    await events.publish(key.workspaceId, 'x', 'CONTACT_DELETED');
    return kinds.includes('CONTACT_DELETED');
  });
  subscription.unsubscribe();
  t.pass();
});
