import { Roster } from '@roster/client';
import test from 'ava';
import type { Page } from 'playwright-core';
import { sharedRoster } from '../system/running-roster.js';
import { above, checkAppearances, nextFrames } from './appearances.js';
import { closeBrowser, openConsole, type Credentials } from './open-console.js';

test.after.always(closeBrowser);

type Open = (page: Page) => Promise<unknown>;

const key =
  (name: string): Open =>
  (page) =>
    page.keyboard.press(name);

/** Presses buttons one after the other, each of which shows the next one. */
const buttons =
  (...names: (string | RegExp)[]): Open =>
  async (page) => {
    // Clicked: a popover moves the focus into itself a frame after it opens, so that Enter could press another button.
    for (const name of names) await page.getByRole('button', { name }).first().click();
  };

const row =
  (text: string): Open =>
  (page) =>
    page.getByRole('row').filter({ hasText: text }).press('Enter');

const command =
  (text: string): Open =>
  async (page) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a screen' }).fill(text);
    await page
      .getByRole('option', { selected: true })
      .filter({ hasText: /keyboard/i })
      .waitFor();
    await page.keyboard.press('Enter');
  };

/** Opens something, then presses buttons. */
const after =
  (first: Open, ...then: (string | RegExp)[]): Open =>
  async (page) => {
    await first(page);
    await buttons(...then)(page);
  };

const select: Open = async (page) => {
  const box = page.getByRole('checkbox', { name: 'Select all loaded rows' });
  if (!(await box.isChecked())) await box.press(' ');
};

const importFile: Open = (page) =>
  page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('E-mail,Home town\nada@example.com,London\n'),
  });

/** What each screen opens above itself, by title. */
const screens = ({ webhookId }: { webhookId: string }): Record<string, [string, Open][]> => ({
  '/contacts': [
    ['Find or go to', key('Control+k')],
    ['Keyboard', command('shortcuts')],
    ['Add a contact', key('n')],
    ['Filters', buttons('Filters')],
    ['Columns', buttons('Columns')],
    ['Export', buttons(/^Export/)],
    ['Change all', buttons('Change all')],
    ['Add tag', after(select, 'Add tag')],
    ['Remove tag', after(select, 'Remove tag')],
    ['Unsubscribe', after(select, 'Unsubscribe')],
    ['Delete', after(select, 'Delete')],
    ['Erase contact', after(row('Ada'), 'Erase…')],
  ],
  '/imports': [['Import people.csv', importFile]],
  '/webhooks': [['Add webhook', key('n')]],
  [`/webhooks/${webhookId}`]: [
    ['Send a test', key('t')],
    ['Replay deliveries', buttons('Replay')],
    ['Edit webhook', key('e')],
    ['More', buttons('More')],
    ['Rotate secret', buttons('More', 'Rotate secret…')],
    ['Disable webhook', buttons('More', 'Disable…')],
    ['Delete webhook', buttons('More', 'Delete…')],
  ],
  '/deliveries': [['Send', after(select, 'Send again')]],
  '/keys': [
    ['New API key', key('n')],
    ['Rotate', after(row('Second key'), 'Rotate…')],
    ['Revoke', after(row('Second key'), 'Revoke…')],
  ],
  '/users': [
    ['Add a user', key('n')],
    ['Delete Grace', row('Grace')],
  ],
  '/settings': [
    ['Add a property', buttons('Add property')],
    ['Property “city”', buttons('Edit city')],
    ['Delete the property', buttons('Delete city')],
    ['Rename the tag “vip”', buttons('Rename vip')],
    ['Delete the tag “vip”', buttons('Delete vip')],
    ['Suppress addresses', buttons('Suppress addresses')],
  ],
});

/** A workspace in which everything can be opened. */
async function fill({ apiKey, baseUrl }: Credentials): Promise<{ webhookId: string }> {
  const roster = new Roster({ apiKey, baseUrl });
  // Nothing listens there.
  const { id } = await roster.webhooks.create({
    url: 'http://127.0.0.1:1024/hook',
    events: ['CONTACT_CREATED'],
  });
  await roster.contacts.create({ email: 'ada@example.com', name: 'Ada', tags: ['vip'] });
  await roster.contactProperties.create({ name: 'city', label: 'City' });
  await roster.apiKeys.create({ name: 'Second key', scopes: ['user'] });
  await roster.users.create({ name: 'Grace', email: `grace.${id}@example.com` });
  return { webhookId: id };
}

test.serial(
  'no dialog of a screen has a finding of axe, at both widths, light and dark, and Esc closes each',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Dialogs');
    const filled = await fill({ apiKey, baseUrl });
    const page = await openConsole(t, { baseUrl, apiKey }, { reducedMotion: 'reduce' });
    if (!page) return;
    for (const [path, dialogs] of Object.entries(screens(filled))) {
      await page.goto(`${baseUrl}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      for (const [title, open] of dialogs) {
        await open(page);
        const dialog = page.locator(above).and(page.getByRole('dialog', { name: title }));
        await dialog.waitFor();
        await checkAppearances(t, page, `${path}: ${title}`, above);
        await page.keyboard.press('Escape');
        await page.locator(above).waitFor({ state: 'hidden' });
        // The focus has returned then.
        await page.evaluate(nextFrames);
      }
    }
  },
);
