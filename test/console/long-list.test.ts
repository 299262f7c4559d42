import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

const rows = 1_000_000;

/** Answers the list of users with many of them: to store them would take too long. */
const answerUsers = `{
  const send = window.fetch;
  window.fetch = async (url, init) => {
    if (!String(init?.body).includes('query Users')) return send(url, init);
    const nodes = Array.from({ length: ${rows} }, (_, at) => ({
      id: 'usr_' + at, name: 'User ' + at, email: 'user@example.com',
      createdAt: '2026-01-01T00:00:00Z', lastAccessedAt: null,
    }));
    const response = new Response('', { headers: { 'content-type': 'application/graphql-response+json' } });
    response.json = async () => ({
      data: { users: { nodes, pageInfo: { endCursor: null, hasNextPage: false } } },
    });
    return response;
  };
}`;

/** Scrolls, and resolves with the first row in the middle of the window, and where it is, after the next frames. */
const afterScroll = (scroll: string) => `new Promise((resolve) => {
  ${scroll};
  const frame = () => new Promise(requestAnimationFrame);
  void frame().then(frame).then(frame).then(() => {
    const rows = [...document.querySelectorAll('[data-index]')];
    const row = rows.find((one) => one.getBoundingClientRect().top > 300);
    const { top } = row.getBoundingClientRect();
    resolve({ index: Number(row.dataset.index), top: Math.round(top), count: rows.length });
  });
})`;

interface Seen {
  index: number;
  top: number;
  count: number;
}

test.serial(
  'a list of a million rows is reached in all its parts by its scroll bar, and moves by as much as the reader scrolls',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Million');
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    await page.addInitScript(answerUsers);
    await page.goto(`${baseUrl}/console/users`);
    const row = (index: number) => page.locator(`[data-index="${index}"]`);
    await row(0).waitFor();
    const scrolled = (scroll: string) => page.evaluate<Seen>(afterScroll(scroll));
    await page.keyboard.press('End');
    await row(rows - 1)
      .getByText(`User ${rows - 1}`)
      .waitFor();
    t.true(await row(rows - 1).evaluate((one) => one.getBoundingClientRect().bottom <= 820));
    await page.keyboard.press('Home');
    await row(0).waitFor();
    // The second one is near the end of what one element can hold, where it takes other rows of the list.
    for (const share of [0.5, 0.998, 0.002]) {
      const part = await scrolled(`scrollTo(0, document.documentElement.scrollHeight * ${share})`);
      t.true(Math.abs(part.index - rows * share) < 0.01 * rows, `${share}: ${part.index}`);
      t.true(part.count < 60);
      for (const step of [520, 1040, -520]) {
        const before = await scrolled('');
        const after = await scrolled(`scrollBy(0, ${step})`);
        const moved = (after.index - before.index) * 52 - (after.top - before.top);
        t.true(Math.abs(moved - step) <= 1, `${share}: ${moved} instead of ${step} px`);
      }
    }
    await page.keyboard.press('j');
    await page.locator('[data-index="0"]:focus').waitFor();
    await page.keyboard.press('j');
    await page.locator('[data-index="1"]:focus').waitFor();
  },
);
