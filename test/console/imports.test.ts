import { Roster } from '@roster/client';
import { accessibilityFindings } from '@roster/testing/browser';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { goTo, tabAndPress, tabAndType } from './keyboard.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

test.serial(
  'by keyboard, a file is mapped, tried and imported, and the rows that were refused say why',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Import');
    const roster = new Roster({ apiKey, baseUrl });
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    // Before the screen is opened: the browser is told that the file is chosen here.
    const chosen = page.waitForEvent('filechooser');
    await goTo(page, 'i', 'Imports');
    const text =
      'E-mail;Full name;Home town\nada@example.com;"Ada ""A"" Lovelace";London\nbad;Bad;Oslo\n';
    await page.keyboard.press('n');
    await (
      await chosen
    ).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    const dialog = page.getByRole('dialog', { name: 'Import people.csv' });
    await tabAndType(page, dialog.getByRole('textbox', { name: 'Property of Home town' }), 'city');
    await dialog.getByText('1 of the first 2 rows has errors').waitFor();
    await dialog.getByText('Row 3: email must be an email address').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await tabAndPress(page, dialog.getByRole('checkbox', { name: /Dry run/ }), ' ');
    await tabAndPress(page, dialog.getByRole('button', { name: 'Import', exact: true }));
    const panel = page.getByRole('complementary', { name: 'Import' });
    await panel.getByText('email must be an email address').waitFor();
    await panel.getByRole('heading', { name: 'Dry run of people.csv' }).waitFor();
    t.deepEqual((await roster.contacts.list()).contacts, []);
    await tabAndPress(page, panel.getByRole('button', { name: 'Import these rows now' }));
    await panel.getByText('All rows were handled.').waitFor();
    await panel.getByText('email must be an email address').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    const names = (await roster.imports.list()).imports.map(({ fileName }) => fileName);
    t.deepEqual(names, ['people.csv', 'people.csv']);
    const { contacts } = await roster.contacts.list();
    t.is(contacts.length, 1);
    t.like(contacts[0], { name: 'Ada "A" Lovelace', properties: { city: 'London' } });
  },
);

test.serial(
  'a file without addresses changes the contacts that its external IDs name, and says which it does not find',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('External IDs');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.contacts.create({ email: 'ada@example.com', externalId: 'crm-1' });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: '/imports' });
    if (!page) return;
    await page.locator('input[type=file]').setInputFiles({
      name: 'crm.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('External ID,Full name\ncrm-1,Ada\ncrm-2,Bob\n'),
    });
    const dialog = page.getByRole('dialog', { name: 'Import crm.csv' });
    await dialog.getByText('only contacts that exist are changed').waitFor();
    await dialog
      .getByText('Row 3: email is required, because no contact has this externalId')
      .waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await tabAndPress(page, dialog.getByRole('button', { name: 'Import', exact: true }));
    const panel = page.getByRole('complementary', { name: 'Import' });
    await panel.getByText('email is required, because no contact has this externalId').waitFor();
    t.is((await roster.contacts.get(id)).name, 'Ada');
    const { contacts } = await roster.contacts.list();
    t.is(contacts.length, 1);
  },
);
