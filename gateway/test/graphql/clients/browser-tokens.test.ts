import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import type { TokenLimits } from '@roster/contracts';
import { eventually } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { TestKey } from '../../stub-services.js';
import { testGateway, type TestGateway } from '../../test-gateway.js';
import { TestTokens } from '../../test-tokens.js';
import { PublishedEvents } from '../subscriptions/published-events.js';
import {
  contactsDocument,
  emailsOf,
  emailsOfMany,
  type ContactsResult,
} from './client-documents.js';
import { stubManyContacts } from './many-contacts.js';

const tokens = new TestTokens();
let gateway: TestGateway;
test.before(async () => {
  gateway = await testGateway({ CALLER_PUBLIC_KEYS: tokens.publicKeys });
  stubManyContacts(gateway.stubs, 5);
  gateway.stubs.answer('keys.check', () => ({ valid: true }));
});
test.after.always(() => gateway.close());

const guide = readFileSync(new URL('../../../../graphql/README.md', import.meta.url), 'utf8');
const [code] = /^let token;$[^`]*(?:`[^`]+`[^`]*)*?(?=\n```$)/m.exec(guide)!;
const [, limits] = /^    body: JSON\.stringify\((\{.*?^ {4}\})\),$/ms.exec(guide)!;
const [fetchWithToken] = /^async function fetchWithToken.*?^}$/ms.exec(guide)!;

/** Limits of the tokens that the backend of the guide makes. */
const limitsOfGuide = runInNewContext(`(${limits})`) as TokenLimits;

interface Page {
  authorization(): Promise<string>;
  fetchWithToken: typeof fetch;
  forget(): void;
  /** Number of tokens that the backend has made. */
  made(): number;
}

/**
 * The code of the guide in a page whose backend makes tokens.
 *
 * @param validMs of the first token; the others are valid for 15 minutes. Its backend tells the page 15 minutes for all of them.
 */
function pageOf(key: TestKey, validMs = 900_000): Page {
  let made = 0;
  const backend = () => {
    made += 1;
    const settings = made === 1 ? { ...limitsOfGuide, validMs } : limitsOfGuide;
    const { apiKey: secret } = tokens.of(key, settings);
    return Response.json({ secret, expiresAt: new Date(Date.now() + 900_000).toISOString() });
  };
  const send = async (url: string, init: RequestInit) =>
    url === '/roster-token' ? backend() : fetch(url, init);
  const result = '({ authorization, fetchWithToken, forget: () => { token = undefined; } })';
  const page = runInNewContext(`${code}\n${fetchWithToken}\n${result}`, {
    fetch: send,
    Headers,
  }) as Omit<Page, 'made'>;
  return { ...page, made: () => made };
}

const uri = () => `${gateway.url}/graphql`;

async function withApollo(t: ExecutionContext, page: Page): Promise<ContactsResult> {
  const link = new HttpLink({ uri: uri(), fetch: page.fetchWithToken });
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  t.teardown(() => client.stop());
  const variables = { first: 5 };
  const { data } = await client.query<ContactsResult>({ query: contactsDocument, variables });
  return data!;
}

test('Apollo Client reads with the token of the page', async (t) => {
  const page = pageOf(gateway.stubs.makeKey());
  t.deepEqual(emailsOf(await withApollo(t, page)), emailsOfMany(5));
  t.deepEqual(emailsOf(await withApollo(t, page)), emailsOfMany(5));
  t.is(page.made(), 1);
});

test('Apollo Client requests another token when the gateway refuses one that has expired', async (t) => {
  const page = pageOf(gateway.stubs.makeKey(), 0);
  t.deepEqual(emailsOf(await withApollo(t, page)), emailsOfMany(5));
  t.is(page.made(), 2);
});

test('graphql-ws subscribes again with another token when the first one has expired', async (t) => {
  const events = await PublishedEvents.open(gateway.stubs);
  const key = gateway.stubs.makeKey();
  const page = pageOf(key, 2000);
  const client = createClient({
    url: uri().replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: async () => ({ authorization: await page.authorization() }),
  });
  t.teardown(() => void client.dispose());
  const codes: unknown[] = [];
  const kinds: unknown[] = [];
  const subscribe = () =>
    client.subscribe<{ events: { kind: string } }>(
      { query: 'subscription { events { kind } }' },
      {
        next({ data, errors }) {
          if (data) kinds.push(data.events.kind);
          codes.push(...(errors ?? []).map(({ extensions }) => extensions?.['code']));
        },
        error: (error) => void codes.push(error),
        complete: () => undefined,
      },
    );
  subscribe();
  await eventually(() => codes.length > 0);
  t.deepEqual(codes, ['unauthenticated']);
  page.forget();
  subscribe();
  await eventually(async () => {
    await events.publish(key.workspaceId, 'x', 'CONTACT_DELETED');
    return kinds.includes('CONTACT_DELETED');
  });
  t.is(page.made(), 2);
});
