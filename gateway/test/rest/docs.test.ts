import { eventually } from '@roster/testing';
import test from 'ava';
import { openBrowserPage } from '../browser.js';
import { sharedGateway } from '../test-gateway.js';

const gateway = sharedGateway(test);

/** In the browser: whether the page shows the listed contact. Presses "Execute" if it does not. The explorer has shadow trees. */
const executeAndRead = `(() => {
  const all = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
    one.shadowRoot ? [one, ...all(one.shadowRoot)] : [one]);
  const elements = all(document);
  if (elements.some(({ textContent, localName }) =>
    localName !== 'script' && textContent.includes('ada@example.com') && textContent.includes('createdAt'))) return true;
  elements.find(({ localName, textContent, }) =>
    localName === 'button' && /^\\s*execute\\s*$/i.test(textContent))?.click();
  return false;
})()`;

test('the page sends a request with the key, keeps the key on reload, and loads nothing from outside', async (t) => {
  t.timeout(150_000);
  const page = await openBrowserPage(t);
  if (!page) return;
  const outside: string[] = [];
  const failures: string[] = [];
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(gateway().url) && !url.startsWith('data:')) outside.push(url);
    if (url.includes('/v1/contacts')) keys.push(request.headers()['authorization']);
  });
  page.on('pageerror', (error) => failures.push(String(error)));
  page.on('console', (message) => {
    // The button may be pressed before the explorer has rendered itself with the key.
    const isRefusal = message.text().includes('401');
    if (message.type() === 'error' && !isRefusal) failures.push(message.text());
  });
  const { apiKey } = gateway().stubs.makeKey();
  await page.goto(`${gateway().url}/docs#?route=get-/v1/contacts`);

  await page.type('#key', `${apiKey}…`);
  await page.keyboard.press('Enter');
  t.true(await page.$eval('#key', (field) => field.matches(':invalid')));
  await page.$eval('#key', (field) => ((field as unknown as { value: string }).value = ''));
  await page.type('#key', apiKey);
  await page.keyboard.press('Enter');
  const listed = () => page.evaluate(executeAndRead) as Promise<boolean>;
  t.true(await eventually(listed, { timeoutMs: 60_000 }));
  await page.reload();
  t.true(await eventually(listed, { timeoutMs: 60_000 }));

  t.deepEqual([...new Set(keys.filter((key) => key !== undefined))], [`Bearer ${apiKey}`]);
  t.deepEqual(outside, []);
  t.deepEqual(failures, []);
});

test('the page executes scripts of its origin only, and cannot be framed', async (t) => {
  const response = await fetch(`${gateway().url}/docs`);
  t.is(response.status, 200);
  const policy = response.headers.get('content-security-policy')!;
  t.regex(policy, /default-src 'none'; script-src 'self';/);
  t.regex(policy, /connect-src 'self';/);
  t.regex(policy, /frame-ancestors 'none'/);
  t.notRegex(await response.text(), /<script(?![^>]* src=)/);
});

test('a file that the page does not have is not found', async (t) => {
  const { status } = await fetch(`${gateway().url}/docs/assets/package.json`);
  t.is(status, 404);
});
