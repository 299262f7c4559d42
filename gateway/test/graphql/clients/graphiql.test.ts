import { eventually } from '@roster/testing';
import test from 'ava';
import type { Page } from 'playwright-core';
import { findingsOf, openBrowserPage, sizes } from '../../browser.js';
import { gatewayFor, sharedGateway, type TestGateway } from '../../test-gateway.js';
import { PublishedEvents } from '../subscriptions/published-events.js';

const gateway = sharedGateway(test);

test('the page works in a browser: documentation, examples, a query and a subscription with one key, without external requests', async (t) => {
  const page = await openBrowserPage(t);
  if (!page) return;
  const { outside, failures, requests } = watch(page);
  const events = await PublishedEvents.open(gateway().stubs);
  const { apiKey, workspaceId } = gateway().stubs.makeKey();
  await page.goto(`${gateway().url}/graphql`);
  t.is((await waitForTabs(page)).length >= 3, true, 'a tab for each example');

  // Without a key, nothing is sent that would be refused.
  await executed(page, 'Enter your API key');
  t.deepEqual(requests, []);
  await enterKey(page, `${apiKey}…`);
  t.true(
    await page.$eval('#key', (field) =>
      (field as unknown as { matches(selector: string): boolean }).matches(':invalid'),
    ),
  );
  await enterKey(page, apiKey);
  await page.click('button[aria-label="Show Documentation Explorer"]');
  await schemaAppears(page);
  await executed(page, 'ada@example.com');

  const [, , third] = await page.$$('[role="tab"]');
  await third!.click();
  await textAppears(page, '.graphiql-query-editor', 'subscription');
  await executed(page, 'Seen in the browser', async () => {
    await events.publish(workspaceId, 'Seen in the browser');
  });
  await page.reload();
  t.is(await page.inputValue('#key'), '', 'the key is kept in memory only');
  t.deepEqual(outside, []);
  t.deepEqual(failures, []);
});

test('the page fits a phone, has no critical finding of axe, and says where to get a key', async (t) => {
  t.timeout(120_000);
  const page = await openBrowserPage(t);
  if (!page) return;
  for (const size of sizes) {
    await page.setViewportSize(size);
    await page.goto(`${gateway().url}/graphql`);
    await page.waitForSelector('.result-window textarea');
    t.deepEqual(await findingsOf(page, ['critical']), []);
    t.is(await page.evaluate('document.documentElement.scrollWidth'), size.width);
  }
  await page.getByRole('link', { name: 'where to get one' }).click();
  await page.getByRole('heading', { name: 'Get a key' }).waitFor();
});

function watch(page: Page) {
  const outside: string[] = [];
  /** Bodies of the requests to the interface. */
  const requests: string[] = [];
  const failures: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(gateway().url) && !url.startsWith('data:')) outside.push(url);
    if (request.method() === 'POST') requests.push(request.postData() ?? '');
  });
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('console', (message) => {
    // The editors are debounced: a query may be sent with the operation name of the former tab, and be rejected.
    const isRejection = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRejection) failures.push(message.text());
  });
  return { outside, failures, requests };
}

/** Replaces the key at the top of the page. */
async function enterKey(page: Page, apiKey: string): Promise<void> {
  await page.$eval('#key', (field) => ((field as unknown as { value: string }).value = ''));
  await page.type('#key', apiKey);
  await page.keyboard.press('Enter');
}

async function waitForTabs(page: Page) {
  await page.waitForSelector('.graphiql-execute-button');
  return page.$$('[role="tab"]');
}

/** Presses "execute" until the result appears, because editors are debounced. */
async function executed(page: Page, text: string, between = async () => {}): Promise<void> {
  await eventually(
    async () => {
      await page.evaluate(
        `document.querySelector('.graphiql-execute-button[aria-label^="Execute"]')?.click()`,
      );
      await between();
      return appearsSoon(
        page,
        `document.querySelector('.result-window').textContent.includes('${text}')`,
      );
    },
    { timeoutMs: 30_000 },
  );
}

/** Reloads the schema until it appears, because the button is inactive while the first introspection is in flight. */
async function schemaAppears(page: Page): Promise<void> {
  await eventually(async () => {
    await page.click('button[aria-label="Re-fetch GraphQL schema"]');
    return appearsSoon(
      page,
      `document.querySelector('.graphiql-doc-explorer')?.textContent.includes('Mutation')`,
    );
  });
}

/** Whether an expression becomes true in the page within a second. Playwright's own waiting needs `eval`, which the policy forbids. */
const appearsSoon = (page: Page, condition: string): Promise<boolean> =>
  eventually(() => page.evaluate<boolean>(condition), { timeoutMs: 1000 }).then(
    () => true,
    () => false,
  );

const textOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate<string>(`document.querySelector('${selector}')?.textContent ?? ''`);

const textAppears = (page: Page, selector: string, text: string): Promise<unknown> =>
  eventually(async () => (await textOf(page, selector)).includes(text), { timeoutMs: 15_000 });

test('the page is served to browsers only, and in production only if enabled', async (t) => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const open = ({ url }: TestGateway, headers: Record<string, string> = html) =>
    fetch(`${url}/graphql`, { headers });
  const response = await open(gateway());
  t.is(response.status, 200);
  t.regex(response.headers.get('content-security-policy')!, /default-src 'none'/);
  t.notRegex(await response.text(), /https?:\/\//);
  t.is((await open(gateway(), {})).status, 401);
  const production = await gatewayFor(t, { NODE_ENV: 'production' });
  t.is((await open(production)).status, 401);
  t.is((await fetch(`${production.url}/graphql/assets/react.js`)).status, 404);
  const enabled = await gatewayFor(t, { NODE_ENV: 'production', GRAPHIQL: true });
  t.is((await open(enabled)).status, 200);
});
