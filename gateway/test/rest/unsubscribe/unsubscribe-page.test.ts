import test from 'ava';
import { openBrowserPage } from '../../browser.js';
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

test('the style of the page is allowed by its policy, and text has the contrast of WCAG AA', async (t) => {
  const page = await openBrowserPage(t);
  if (!page) return;
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${gateway().url}/unsubscribe/style`);
    const colours = (await page.evaluate(coloursOfPage)) as [string, string][];
    for (const [text, ground] of colours)
      t.true(contrast(text, ground) >= 4.5, `${scheme}: ${text} on ${ground}`);
  }
});

/** In the browser: text and background. */
const coloursOfPage = `['body', 'button'].map((selector) => {
  const { color, backgroundColor } = getComputedStyle(document.querySelector(selector));
  return [color, backgroundColor];
})`;

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminanceOf(colour: string): number {
  const [red, green, blue] = colour.match(/\d+/g)!.map((text) => {
    const part = Number(text) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
