import test from 'ava';
import type { Page } from 'playwright-core';
import { pageAt, type Site } from '../../pages/docs/frame.js';
import { restOperations } from '../../rest/rest-operations.js';
import { findingsOf, openBrowserPage, schemes, sizes } from '../browser.js';
import { mounted } from '../mounted.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

/** What must not happen in a page. */
function watch(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('request', (one) => {
    if (!one.url().startsWith(url) && !one.url().startsWith('data:'))
      problems.push(`outside: ${one.url()}`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return problems;
}

const trial = (id: string) => `[id="${id}"] .trial`;

test('a request is sent from the page with a key that is asked for once, is never shown and not kept', async (t) => {
  t.timeout(150_000);
  const page = await openBrowserPage(t);
  if (!page) return;
  const url = await mounted(t, gateway().url);
  const problems = watch(page, url);
  const keys: (string | undefined)[] = [];
  page.on('request', (one) => {
    if (one.url().includes('/v1/')) keys.push(one.headers()['authorization']);
  });
  const { apiKey } = gateway().stubs.makeKey();
  await page.goto(`${url}/docs/reference/contacts`);
  const send = async (id: string, key?: string) => {
    const form = page.locator(trial(id));
    if (!(await form.locator('form').isVisible())) await form.locator('summary').click();
    if (key !== undefined) await form.locator('[data-key]').fill(key);
    await form.locator('button[type=submit]').click();
    return form;
  };
  await send('contacts.list');
  t.true(
    await page.$eval(`${trial('contacts.list')} [data-key]`, (one) => one.matches(':invalid')),
  );
  await send('contacts.list', `${apiKey}…`);
  t.deepEqual(keys, []);
  const listed = await send('contacts.list', apiKey);
  await listed.getByText('ada@example.com').waitFor();
  const created = await send('contacts.create');
  await created.getByText('201 Created').waitFor();
  t.deepEqual(keys, [`Bearer ${apiKey}`, `Bearer ${apiKey}`]);
  const [body] = gateway().stubs.calls('contacts.create').slice(-1);
  t.is((body!.input as { email: string }).email, 'emmy@example.com');

  const shown = await page.evaluate(
    `document.documentElement.outerHTML + [...document.querySelectorAll('input')].map(({ value }) => value) + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`,
  );
  t.false(String(shown).includes(apiKey));
  await page.reload();
  await send('contacts.list');
  t.is(keys.length, 2, 'asked for again');
  t.deepEqual(problems, []);
});

test('the search finds the section that a word is about, with the keyboard alone', async (t) => {
  const page = await openBrowserPage(t);
  if (!page) return;
  const url = await mounted(t, gateway().url);
  const problems = watch(page, url);
  for (const [from, word, path, heading] of [
    ['/docs', 'signature', '/docs/guides/verifying', 'Verifying signatures'],
    ['/docs/guides/verifying', 'idempotency', '/docs/guides/retrying', 'Retrying'],
    ['/docs/reference/users', 'first request', '/docs', 'First request'],
    ['/docs', 'PUT /v1/origins', '/docs/reference/origins#workspaces.set-origins', 'Origins'],
  ] as const) {
    await page.goto(url + from);
    await page.keyboard.press('/');
    await page.keyboard.type(word);
    await page.locator('#found a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL((to) => to.href.startsWith(url + path));
    t.regex((await page.locator('h1').textContent())!, new RegExp(heading));
  }
  await page.keyboard.press('/');
  await page.keyboard.type('xyzzy');
  await page.getByText('Nothing found').waitFor();
  await page.keyboard.press('Escape');
  t.false(await page.locator('#found').isVisible());
  t.deepEqual(problems, []);
});

test('pages are readable by everyone: no serious finding of axe, and nothing wider than the window', async (t) => {
  t.timeout(150_000);
  const page = await openBrowserPage(t);
  if (!page) return;
  for (const path of [
    'docs',
    'docs/guides/graphql',
    'docs/reference/contacts',
    'problems',
    'problems/invalid',
    'nothing/here',
  ])
    for (const size of sizes)
      for (const colorScheme of schemes) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await page.goto(`${gateway().url}/${path}`);
        const label = `${path} at ${size.width}, ${colorScheme}`;
        t.deepEqual(await findingsOf(page), [], label);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        t.is(width, size.width, label);
      }
});

const linksIn = (page: string) => [...page.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href!);

test('every link of every page leads to a page and a section that exist', async (t) => {
  t.timeout(60_000);
  const pages = new Map<string, string>();
  const targets = [new URL(`${gateway().url}/docs`)];
  for (const target of targets) {
    const { href } = new URL(target.pathname, target);
    if (!pages.has(href)) {
      const response = await fetch(href);
      t.is(response.status, 200, href);
      const page = await response.text();
      pages.set(href, page);
      const isPage = response.headers.get('content-type')!.startsWith('text/html');
      for (const link of isPage ? linksIn(page) : [])
        if (!/^(?:https?|data):/.test(link)) targets.push(new URL(link, href));
    }
    const id = decodeURIComponent(target.hash.slice(1));
    if (id) t.true(pages.get(href)!.includes(` id="${id}"`), target.href);
  }
  t.true(pages.size > 30);
});

test('every operation is in the navigation with its method, and has its fields, faults, samples and a response', async (t) => {
  const read = async (path: string) => (await fetch(`${gateway().url}/${path}`)).text();
  const first = await read('docs');
  for (const operation of restOperations) {
    const slug = operation.tag.toLowerCase().replaceAll(' ', '-');
    const page = await read(`docs/reference/${slug}`);
    const { name, http } = operation;
    const method = http.method === 'DELETE' ? 'DEL' : http.method;
    t.regex(first, new RegExp(`reference/${slug}#${name}"><span class="method \\w+">${method}<`));
    const start = page.indexOf(`<section class="operation" id="${name}"`);
    const section = page.slice(start, page.indexOf('</section>', start));
    t.true(start > 0, name);
    for (const field of Object.keys(operation.input.shape).filter((one) => one !== 'format'))
      t.true(section.includes(`<dt><code>${field}</code>`), `${name} ${field}`);
    for (const fault of operation.faults) t.true(section.includes(`problems/${fault}"`), name);
    for (const part of ['data-label="curl"', 'data-label="Client library"'])
      t.true(section.includes(part), `${name} ${part}`);
    if (!http.file) t.true(section.includes(`data-label="${http.status}"`), name);
  }
});

test('text of the document is escaped', (t) => {
  const hostile = '<img src=x onerror=alert(1)>"\'&';
  const operation = {
    operationId: hostile,
    summary: hostile,
    description: `\`${hostile}\``,
    tags: ['x'],
    parameters: [
      {
        name: hostile,
        in: 'query' as const,
        required: true,
        description: hostile,
        schema: { type: 'string' as const, default: hostile, enum: [hostile] },
      },
    ],
    requestBody: { content: { 'application/json': { schema: {}, example: { hostile } } } },
    responses: {
      200: {
        description: hostile,
        content: { 'application/json': { schema: {}, example: hostile } },
      },
    },
    'x-codeSamples': [{ lang: hostile, label: hostile, source: hostile }],
  };
  const site: Site = {
    name: hostile,
    guides: [{ slug: '', group: hostile, label: hostile, html: '', sections: [] }],
    openapi: {
      tags: [{ name: 'x', description: hostile }],
      paths: { [`/${hostile}`]: { get: operation } },
      webhooks: {},
      components: {},
    },
  };
  const page = pageAt(site, 'reference/x')!;
  t.false(page.includes('<img'));
  t.notRegex(page, /"[^"<>]*onerror=alert\(1\)>/);
});

test('the pages execute scripts of files of their origin only, and cannot be framed', async (t) => {
  for (const path of ['docs', 'docs/guides/rest', 'docs/reference/webhooks']) {
    const response = await fetch(`${gateway().url}/${path}`);
    t.is(response.status, 200);
    const policy = response.headers.get('content-security-policy')!;
    for (const part of [
      "default-src 'none'",
      "script-src 'self';",
      "style-src 'self';",
      "frame-ancestors 'none'",
      "trusted-types 'none'",
    ])
      t.true(policy.includes(part), part);
    t.notRegex(policy, /unsafe/);
    t.notRegex(await response.text(), /<script(?![^>]* src=)|<style| style=| on\w+=/);
  }
});

test('a page or a file that does not exist is not found', async (t) => {
  for (const path of [
    'docs/guides/nothing',
    'docs/reference/nothing',
    'docs/guides/..%2f',
    'docs/assets/package.json',
  ])
    t.is((await fetch(`${gateway().url}/${path}`)).status, 404, path);
});
