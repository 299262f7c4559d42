import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually } from '@roster/testing';
import test from 'ava';
import { build } from 'esbuild';
import { openBrowserPage } from '../../browser.js';
import { testGateway } from '../../test-gateway.js';
import { TestTokens } from '../../test-tokens.js';
import { PublishedEvents } from '../subscriptions/published-events.js';
import { emailsOfMany } from './client-documents.js';
import { stubManyContacts } from './many-contacts.js';

const gatewayFolder = fileURLToPath(new URL('../../../../', import.meta.url));
const guide = readFileSync(`${gatewayFolder}/graphql/README.md`, 'utf8');
/** The code of the guide that runs in the page, in its order. */
const code = [...guide.slice(guide.indexOf('## Web pages')).matchAll(/^```jsx?\n(.*?)^```$/gms)]
  .map(([, block = '']) => block)
  .filter((block) => !block.includes('app.post('))
  .join('\n');

const libraries = `
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider, useQuery } from '@apollo/client/react';
import { Client, fetchExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import { useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
`;
const app = `
function App() {
  const [seen, setSeen] = useState([]);
  useEvents(useCallback(({ id }) => setSeen((before) => [...before, id]), []));
  return <ApolloProvider client={apollo}><Contacts /><output>{seen.join()}</output></ApolloProvider>;
}
createRoot(document.getElementById('root')).render(<App />);
`;

/** Browsers start slowly on a busy machine. */
const soon = { timeoutMs: 60_000 };

async function bundled(gatewayUrl: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: libraries + code.replaceAll('https://roster.example.com', gatewayUrl) + app,
      loader: 'jsx',
      resolveDir: gatewayFolder,
    },
    bundle: true,
    write: false,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]!.text;
}

test('the React app of the guide shows contacts, and resumes its subscription with another token when the first has expired', async (t) => {
  t.timeout(300_000);
  const page = await openBrowserPage(t);
  if (!page) return;
  const tokens = new TestTokens();
  let script = '';
  let made = 0;
  let makeToken = () => '';
  const backend = createServer((request, response) => {
    if (request.url === '/roster-token') {
      made += 1;
      const expiresAt = new Date(Date.now() + 900_000).toISOString();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ secret: makeToken(), expiresAt }));
    } else if (request.url === '/app.js') {
      response.setHeader('content-type', 'text/javascript; charset=utf-8');
      response.end(script);
    } else {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end('<!doctype html><div id="root"></div><script src="/app.js"></script>');
    }
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  t.teardown(() => backend.close());
  const origin = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
  const gateway = await testGateway({
    CALLER_PUBLIC_KEYS: tokens.publicKeys,
    ALLOWED_ORIGINS: [origin],
  });
  t.teardown(() => gateway.close());
  stubManyContacts(gateway.stubs, 5);
  gateway.stubs.answer('keys.check', () => ({ valid: true, now: new Date().toISOString() }));
  const events = await PublishedEvents.open(gateway.stubs);
  const key = gateway.stubs.makeKey();
  // Tokens expire early until the page has received an event: the subscription that received it ends.
  let isSubscribed = false;
  makeToken = () => tokens.of(key, isSubscribed ? {} : { validMs: 5000 }).apiKey;
  script = await bundled(gateway.url);

  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(String(error)));
  await page.goto(origin);
  const textOf = (selector: string) =>
    page.$$eval(selector, (found) => found.map(({ textContent }) => textContent));
  await eventually(async () => (await textOf('li')).length > 0, soon);
  t.deepEqual(await textOf('li'), emailsOfMany(5));

  const shown = async () => (await textOf('output')).join().split(',').filter(Boolean);
  const published: string[] = [];
  const publish = async () => published.push(await events.publish(key.workspaceId, 'Ada'));
  await eventually(async () => {
    await publish();
    return (await shown()).length > 0;
  }, soon);
  isSubscribed = true;
  const madeBefore = made;
  // Also while there is no subscription, from the end of the token until it is resumed.
  await eventually(async () => {
    await publish();
    return made > madeBefore;
  }, soon);
  await eventually(async () => (await shown()).at(-1) === published.at(-1), soon);
  const seen = await shown();
  t.deepEqual(seen, published.slice(published.indexOf(seen[0]!)));
  t.deepEqual(failures, []);
});
