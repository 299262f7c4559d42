import test from 'ava';
import { findingsOf, openBrowserPage, schemes, sizes } from '../../browser.js';
import { sharedGateway } from '../../test-gateway.js';

const gateway = sharedGateway(test);

const usesOf = (token: string) =>
  gateway()
    .stubs.calls('unsubscribe-links.use')
    .filter(({ input }) => (input as { token: string }).token === token).length;

test('a reader unsubscribes with the keyboard alone, without scripts, and the page names its parts', async (t) => {
  const page = await openBrowserPage(t, { javaScriptEnabled: false });
  if (!page) return;
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  await page.goto(`${gateway().url}/unsubscribe/keyboard`);
  t.is(await page.title(), 'Unsubscribe');
  const tree = await page.locator('body').ariaSnapshot();
  t.deepEqual(tree.match(/- (?:heading|button) "[^"]*"/g), [
    '- heading "Unsubscribe"',
    '- button "Unsubscribe"',
  ]);
  await page.keyboard.press('Tab');
  t.is(usesOf('keyboard'), 0);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
  t.is(await page.title(), 'You are unsubscribed');
  t.is(usesOf('keyboard'), 1);
  // Chromium asks for it by itself, and may be refused.
  t.deepEqual(
    problems.filter((problem) => !/favicon|404/.test(problem)),
    [],
  );
});

test('a reader can undo it at once, and each page is readable by everyone', async (t) => {
  t.timeout(120_000);
  const page = await openBrowserPage(t);
  if (!page) return;
  for (const size of sizes)
    for (const colorScheme of schemes) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.goto(`${gateway().url}/unsubscribe/undo`);
      t.deepEqual(await findingsOf(page), []);
      await page.getByRole('button', { name: 'Unsubscribe' }).click();
      await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
      t.deepEqual(await findingsOf(page), []);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('heading', { name: 'You are subscribed again' }).waitFor();
      t.deepEqual(await findingsOf(page), []);
      t.is(await page.evaluate('document.documentElement.scrollWidth'), size.width);
    }
});
