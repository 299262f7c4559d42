import { Roster } from '@roster/client';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { tabAndPress } from './keyboard.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

const contacts = 100_000;
const firstRowsMs = 2500;

const csv = `email,name\n${Array.from({ length: contacts }, (_, n) => `c${n}@example.com,Contact\n`).join('')}`;

test.serial(
  'by keyboard, one contact among 100,000 is found and opened, and the first rows do not wait for the others',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Many');
    const roster = new Roster({ apiKey, baseUrl });
    const begun = performance.now();
    const { created } = await roster.imports.create(csv, { format: 'csv', events: 'summary' });
    t.is(created, contacts);
    t.log(`imported after ${Math.round(performance.now() - begun)} ms`);
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    const took = async (act: () => Promise<unknown>) => {
      const start = performance.now();
      await act();
      return Math.round(performance.now() - start);
    };
    const firstRow = page.locator('[data-index="0"]');
    await firstRow.waitFor();
    const loaded = await took(async () => {
      await page.reload();
      await firstRow.waitFor();
    });
    const row = page.getByRole('row').filter({ hasText: 'c77123@example.com' });
    const found = await took(async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('c77123@');
      await row.waitFor();
    });
    t.log(`first rows after ${loaded} ms, found after ${found} ms`);
    t.true(loaded <= firstRowsMs, `first rows after ${loaded} ms`);
    t.true(found <= firstRowsMs, `found after ${found} ms`);
    await tabAndPress(page, row);
    await page
      .getByRole('complementary', { name: 'Contact' })
      .getByRole('heading', { name: 'Contact', exact: true })
      .waitFor();
    t.regex(page.url(), /\/contacts\/cont_\w+\?q=c77123%40$/);
  },
);
