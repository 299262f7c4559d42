import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { eventually, TcpProxy } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild';
import { openBrowserPage } from '../../browser.js';
import { testGateway } from '../../test-gateway.js';
import { TestTokens } from '../../test-tokens.js';
import { PublishedEvents } from '../subscriptions/published-events.js';
import { emailsOfMany } from './client-documents.js';
import { stubManyContacts } from './many-contacts.js';

const gatewayFolder = fileURLToPath(new URL('../../../../', import.meta.url));
const guide = readFileSync(`${gatewayFolder}/graphql/README.md`, 'utf8');
const sections = new Map(
  guide
    .slice(guide.indexOf('## Web pages'))
    .split(/^#+ /m)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
);
const shown = `createRoot(document.getElementById('root')).render(<App />);`;

/** The code of the guide that runs in the page, in its order, with the client that a section is about. */
function codeOf(section: string): string {
  const text = ['Web pages', 'Subscriptions of a page', section].map((name) => sections.get(name)!);
  const blocks = [...text.join('').matchAll(/^```jsx?\n(.*?)^```$/gms)]
    .map(([, block = '']) => block)
    .filter((block) => !block.includes('app.post('));
  return [`import { createRoot } from 'react-dom/client';`, ...blocks, shown].join('\n');
}

/** Browsers start slowly on a busy machine. */
const soon = { timeoutMs: 60_000 };

async function bundled(section: string, gatewayUrl: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: codeOf(section).replaceAll('https://roster.example.com', gatewayUrl),
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

for (const section of ['React with Apollo Client', 'React with urql']) {
  test(`${section}: the app of the guide shows contacts, replaces tokens that are refused, and misses no event when its token expires or its connection breaks`, async (t) => {
    t.timeout(300_000);
    const page = await openBrowserPage(t);
    if (!page) return;
    const tokens = new TestTokens();
    const backend = await Backend.start(t);
    const gateway = await testGateway({
      CALLER_PUBLIC_KEYS: tokens.publicKeys,
      ALLOWED_ORIGINS: [backend.origin],
    });
    t.teardown(() => gateway.close());
    const proxy = await TcpProxy.start({ host: '127.0.0.1', port: gateway.port });
    t.teardown(() => proxy.stop());
    stubManyContacts(gateway.stubs, 5);
    gateway.stubs.answer('keys.check', () => ({ valid: true, now: new Date().toISOString() }));
    const events = await PublishedEvents.open(gateway.stubs);
    const key = gateway.stubs.makeKey();
    // The first token has expired already. The others expire early until the page has received an event: the
    // subscription that received it ends.
    let isSubscribed = false;
    backend.makeToken = (made) => {
      const validMs = made === 1 ? 0 : 5000;
      return tokens.of(key, isSubscribed ? {} : { validMs }).apiKey;
    };
    backend.script = await bundled(section, `http://127.0.0.1:${proxy.port}`);

    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    await page.goto(backend.origin);
    const contacts = () => page.$$eval('ul li', (found) => found.map((one) => one.textContent));
    await eventually(async () => (await contacts()).length > 0, soon);
    t.deepEqual(await contacts(), emailsOfMany(5));
    t.true(backend.made > 1);

    const seen = () => page.$$eval('ol li', (found) => found.map(({ id }) => id));
    const published: string[] = [];
    const publish = async () => published.push(await events.publish(key.workspaceId, 'Ada'));
    const newestIsSeen = async () => (await seen()).at(-1) === published.at(-1);
    await eventually(async () => {
      await publish();
      return (await seen()).length > 0;
    }, soon);
    const [first = ''] = await seen();
    isSubscribed = true;
    const madeBefore = backend.made;
    // Also while there is no subscription, from the end of the token until it is resumed.
    await eventually(async () => {
      await publish();
      return backend.made > madeBefore;
    }, soon);
    await eventually(newestIsSeen, soon);

    await proxy.setMode('refuse');
    for (let count = 0; count < 3; count += 1) await publish();
    await proxy.setMode('forward');
    await eventually(newestIsSeen, soon);
    const all = await seen();
    t.deepEqual(all, published.slice(published.indexOf(first)).slice(-all.length));
    t.true(all.length >= Math.min(100, published.length - published.indexOf(first)));
    t.deepEqual(failures, []);
  });
}

/** The backend of the page makes its tokens, and serves it. */
class Backend {
  origin = '';
  script = '';
  /** Number of tokens made. */
  made = 0;
  makeToken: (made: number) => string = () => '';

  static async start(t: ExecutionContext): Promise<Backend> {
    const backend = new Backend();
    const server = createServer((request, response) => {
      const [type, body] = backend.#answer(request.url);
      response.setHeader('content-type', type);
      response.end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    backend.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return backend;
  }

  #answer(path = ''): [type: string, body: string] {
    if (path === '/app.js') return ['text/javascript; charset=utf-8', this.script];
    if (path !== '/roster-token') return ['text/html; charset=utf-8', html];
    this.made += 1;
    const expiresAt = new Date(Date.now() + 900_000).toISOString();
    return ['application/json', JSON.stringify({ secret: this.makeToken(this.made), expiresAt })];
  }
}

const html = '<!doctype html><div id="root"></div><script src="/app.js"></script>';
