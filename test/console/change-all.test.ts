import { Roster } from '@roster/client';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { tabAndPress } from './keyboard.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

test.serial(
  'by keyboard, all contacts that match are counted first, and then changed',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Change all');
    const roster = new Roster({ apiKey, baseUrl });
    const operations = Array.from({ length: 30 }, (_, n) => ({
      action: 'create' as const,
      email: `c${n}@example.com`,
      tags: n < 10 ? ['vip', 'new'] : n < 25 ? ['vip'] : [],
    }));
    await roster.contacts.batch({ operations });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: '/contacts?tag=vip' });
    if (!page) return;
    await tabAndPress(page, page.getByRole('button', { name: 'Change all' }));
    const dialog = page.getByRole('dialog', { name: 'Change all contacts that match' });
    await dialog.getByLabel('Tag').fill('new');
    await dialog.getByRole('button', { name: 'Count' }).press('Enter');
    await dialog
      .getByText('25 contacts matched. 15 would be changed. 10 are so already.')
      .waitFor();
    t.is((await roster.contacts.list({ tag: ['new'] })).pagination.total, 10);
    await dialog.getByRole('button', { name: 'Add tags' }).press('Enter');
    await dialog.getByText('25 contacts matched. 15 were changed. 10 are so already.').waitFor();
    t.is((await roster.contacts.list({ tag: ['new'] })).pagination.total, 25);
    await dialog.getByRole('button', { name: 'Close' }).last().press('Enter');
    await dialog.waitFor({ state: 'detached' });
  },
);
