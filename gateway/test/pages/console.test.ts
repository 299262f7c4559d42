import test from 'ava';
import { pbkdf2 } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openBrowserPage } from '../browser.js';
import { mounted } from '../mounted.js';
import { sharedGateway, testGateway } from '../test-gateway.js';

const pbkdf2Async = promisify(pbkdf2);
const require = createRequire(import.meta.url);
const gateway = sharedGateway(test);

const paths = ['/console', '/console/', '/console/contacts', '/console/webhooks/wh_1/dlv_1'];

/** The addresses of the files that a page refers to. */
const filesOf = (page: string, url: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => new URL(file!, url).href);

test('every path of the console is the page, with its policy and its files, wherever the gateway is mounted', async (t) => {
  for (const base of [gateway().url, await mounted(t, gateway().url)])
    for (const path of paths) {
      const response = await fetch(base + path);
      t.is(response.status, 200, path);
      t.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
      const policy = response.headers.get('content-security-policy')!;
      t.regex(policy, /script-src 'self'; style-src 'self';.*trusted-types 'none'$/);
      t.false(policy.includes('unsafe'));
      t.is(response.headers.get('referrer-policy'), 'no-referrer');
      t.is(response.headers.get('x-content-type-options'), 'nosniff');
      t.is(response.headers.get('cache-control'), 'no-cache');
      const files = filesOf(await response.text(), base + path);
      t.true(files.length >= 3);
      for (const file of files) {
        t.true(file.startsWith(`${base}/console/`), file);
        t.is((await fetch(file)).status, 200, file);
      }
    }
});

test('files with a hash in their name are kept for a year, compressed, and unknown ones are not the page', async (t) => {
  const { url } = gateway();
  const page = await (await fetch(`${url}/console`)).text();
  const asset = filesOf(page, `${url}/console`).find((file) => file.includes('/assets/'))!;
  for (const coding of ['br', 'gzip']) {
    const { headers } = await fetch(asset, { headers: { 'accept-encoding': coding } });
    t.is(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.is(headers.get('content-encoding'), coding);
    t.regex(headers.get('content-type')!, /^text\/(?:javascript|css)/);
  }
  for (const path of ['assets/index-x.js', 'assets/', 'a/b/c/d/e/f/g/h/i/j'])
    t.is((await fetch(`${url}/console/${path}`)).status, 404, path);
  for (const path of ['.vite/modules.json', '..%2fpackage.json', 'index.html'])
    t.regex((await fetch(`${url}/console/${path}`)).headers.get('content-type')!, /html/, path);
  t.is((await fetch(`${url}/console/contacts`, { method: 'POST' })).status, 405);
});

test('the index is a page for browsers that leads to the console, and JSON for programs', async (t) => {
  const { url } = gateway();
  const page = await fetch(url, {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  });
  t.is(page.headers.get('content-type'), 'text/html; charset=utf-8');
  t.regex(page.headers.get('vary')!, /Accept$/);
  const text = await page.text();
  for (const path of ['console', 'docs', 'graphql']) {
    t.true(text.includes(`href="${path}"`), path);
  }
  for (const accept of ['*/*', 'application/json'])
    t.like(await (await fetch(url, { headers: { accept } })).json(), { console: '/console' });
});

test('the console starts in a browser without a violation of its policy, below any path', async (t) => {
  const page = await openBrowserPage(t);
  if (!page) return;
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // The page asks for a token, and there is no session yet.
    if (message.type() === 'error' && !message.text().includes('401'))
      problems.push(message.text());
  });
  const url = await mounted(t, gateway().url);
  await page.goto(`${url}/console/contacts/cont_1`);
  await page.locator('#root > *').first().waitFor();
  t.deepEqual(problems, []);
});

test('fourteen browsers that open the console at once, when the gateway has just started, get every file', async (t) => {
  const started = await testGateway();
  t.teardown(() => started.close());
  const folder = join(dirname(require.resolve('@roster/console/package.json')), 'dist');
  const files = readdirSync(join(folder, 'assets')).map((file) => `console/assets/${file}`);
  t.true(files.length > 30);
  // The threads that read and compress files are busy with something else for a while, as on a machine that starts many programs.
  const busy = Array.from({ length: 8 }, () => pbkdf2Async('', '', 400_000, 64, 'sha512'));
  const statuses = await Promise.all(
    Array.from({ length: 14 }, () => ['console', 'docs', 'docs/assets/search.json', ...files])
      .flat()
      .map(async (path) => {
        const response = await fetch(`${started.url}/${path}`, {
          headers: { 'accept-encoding': 'br' },
        });
        await response.bytes();
        return response.status;
      }),
  );
  await Promise.all(busy);
  t.deepEqual([...new Set(statuses)], [200]);
});
