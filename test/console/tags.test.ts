import { Roster } from '@roster/client';
import { eventually } from '@roster/testing';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

test.serial(
  'a tag is renamed and deleted in the settings, which say how many contacts that changes',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Tags');
    const roster = new Roster({ apiKey, baseUrl });
    const operations = Array.from({ length: 3 }, (_, n) => ({
      action: 'create' as const,
      email: `c${n}@example.com`,
      tags: n < 2 ? ['is:a/b', 'c'] : ['c'],
    }));
    await roster.contacts.batch({ operations });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: '/settings' });
    if (!page) return;
    const section = page.getByRole('region', { name: 'Tags' });
    await section.getByRole('button', { name: 'Rename is:a/b' }).press('Enter');
    const renaming = page.getByRole('dialog', { name: 'Rename the tag “is:a/b”' });
    await renaming.getByText('It is renamed in 2 contacts.').waitFor();
    await renaming.getByLabel('New name').fill('d');
    await renaming.getByLabel('New name').press('Enter');
    await renaming.getByText('2 contacts changed.').waitFor();
    await renaming.getByRole('button', { name: 'Close' }).last().press('Enter');
    await section.getByRole('button', { name: 'Delete c', exact: true }).press('Enter');
    const deleting = page.getByRole('dialog', { name: 'Delete the tag “c”?' });
    await deleting.getByText('It is removed from 3 contacts. This cannot be undone.').waitFor();
    await deleting.getByRole('button', { name: 'Delete tag' }).press('Enter');
    await deleting.getByText('3 contacts changed.').waitFor();
    await deleting.getByRole('button', { name: 'Close' }).last().press('Enter');
    await eventually(async () => (await section.getByRole('listitem').count()) === 1);
    await section.getByText('d 2 contacts').waitFor();
    const { tags } = (await roster.tags.list()) as unknown as { tags: object[] };
    t.deepEqual(tags, [{ name: 'd', contacts: 2 }]);
  },
);
