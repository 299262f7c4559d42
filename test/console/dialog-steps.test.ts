import { Roster } from '@roster/client';
import test from 'ava';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { sharedRoster } from '../system/running-roster.js';
import { above, checkAppearances } from './appearances.js';
import { closeBrowser, openConsole, type Credentials } from './open-console.js';

test.after.always(closeBrowser);

/** What leads from a dialog as it opens to what it shows then. */
type Lead = (page: Page, dialog: Locator) => Promise<unknown>;

const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click();

const openRow = (page: Page, text: string) =>
  page.getByRole('row').filter({ hasText: text }).press('Enter');

const select = async (page: Page) => {
  const box = page.getByRole('checkbox', { name: 'Select all loaded rows' });
  if (!(await box.isChecked())) await box.press(' ');
};

/** By screen: the dialogs, by what is checked in them. */
const steps = ({ webhookId, url }: Filled): Record<string, Record<string, Lead>> => ({
  '/contacts': {
    'an address that another contact has': async (page, dialog) => {
      await page.keyboard.press('n');
      await dialog.getByLabel('Address').fill('ada@example.com');
      await dialog.getByText('Properties').click();
      await dialog.getByRole('button', { name: 'Add contact' }).click();
      await dialog.getByRole('link', { name: /^Open the contact/ }).waitFor();
    },
    'an export that is complete': async (page, dialog) => {
      await press(page, /^Export/);
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
      await dialog.getByText(/^The file is among the downloads/).waitFor();
    },
    'tags that are refused': async (page, dialog) => {
      await select(page);
      await press(page, 'Add tag');
      await dialog.getByLabel('Tag').fill('two');
      await dialog.getByRole('button', { name: 'Add tag' }).click();
      await dialog.getByText('Refused: 1.').waitFor();
    },
    'an address that is not the one of the contact': async (page, dialog) => {
      await openRow(page, 'Grace');
      await press(page, 'Erase…');
      await dialog.getByLabel('Address of the contact').fill('ada@example.com');
      await dialog.getByRole('button', { name: 'Erase contact' }).click();
      await dialog.locator('[aria-invalid="true"]').waitFor();
    },
    'a contact that was erased': async (page, dialog) => {
      await openRow(page, 'Bob');
      await press(page, 'Erase…');
      await dialog.getByLabel('Address of the contact').fill('bob@example.com');
      await dialog.getByRole('button', { name: 'Erase contact' }).click();
      await dialog.getByText(/^The contact is erased/).waitFor();
    },
    'an erasure that is running': async (page, dialog) => {
      const erasure = { step: 'deliveries', events: 2, deliveries: 0, records: 0, endedAt: null };
      // It would have ended before it is looked at.
      await page.route('**/v1/erasures/*', (route) => route.fulfill({ json: { erasure } }));
      await openRow(page, 'Grace');
      await press(page, 'Erase…');
      await dialog.getByLabel('Address of the contact').fill('grace@example.com');
      await dialog.getByRole('button', { name: 'Erase contact' }).click();
      await dialog.getByText('1 of 3 steps done').waitFor();
    },
  },
  '/imports': {
    'a mapping without addresses': async (page, dialog) => {
      await page.locator('input[type=file]').setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('Nick,Home town\nada,London\n'),
      });
      await dialog.getByText('Choose the column of the email addresses').waitFor();
    },
    'properties that are refused': async (page, dialog) => {
      await page.locator('input[type=file]').setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('E-mail,Home town\nada@example.com,London\n'),
      });
      await dialog.getByRole('textbox', { name: 'Property of Home town' }).fill('no spaces here');
      await dialog.getByRole('button', { name: 'Import', exact: true }).click();
      await dialog.getByRole('alert').first().waitFor();
    },
  },
  '/webhooks': {
    'an address that is refused': async (page, dialog) => {
      await page.keyboard.press('n');
      await dialog.getByRole('textbox').first().fill('http://user:password@127.0.0.1/');
      await dialog.getByRole('button', { name: 'Add webhook' }).click();
      await dialog.locator('[aria-invalid="true"]').waitFor();
    },
    'a webhook that was added, and a test': async (page, dialog) => {
      await page.keyboard.press('n');
      await dialog.getByRole('textbox').first().fill(url);
      await dialog.getByRole('button', { name: 'Add webhook' }).click();
      await dialog.getByRole('heading', { name: 'Webhook added' }).waitFor();
      await dialog.getByRole('button', { name: 'Send a test' }).click();
      await dialog.getByText(/^The receiver answered 500/).waitFor();
    },
  },
  [`/webhooks/${webhookId}`]: {
    'a secret that was rotated': async (page, dialog) => {
      await press(page, 'More');
      await press(page, 'Rotate secret…');
      await dialog.getByRole('button', { name: 'Rotate secret' }).click();
      await dialog.getByRole('heading', { name: 'Secret rotated' }).waitFor();
    },
    'a replay that was counted': async (page, dialog) => {
      await press(page, 'Replay');
      await dialog.getByLabel('Deliveries').selectOption('All');
      await dialog.getByRole('button', { name: 'Count deliveries' }).click();
      await dialog.getByText(/would be sent again/).waitFor();
    },
    'a replay that was started': async (page, dialog) => {
      await press(page, 'Replay');
      await dialog.getByLabel('Deliveries').selectOption('All');
      await dialog.getByRole('button', { name: 'Count deliveries' }).click();
      await dialog.getByRole('button', { name: /^Send .* again$/ }).click();
      await dialog.getByText('All are queued').waitFor();
    },
  },
  '/deliveries?status=all': {
    'deliveries that were sent again': async (page, dialog) => {
      await select(page);
      await press(page, 'Send again');
      await dialog.getByRole('button', { name: /^Send .* again$/ }).click();
      await dialog.getByRole('button', { name: 'Close' }).last().waitFor();
    },
  },
  '/keys': {
    'the new key': async (page, dialog) => {
      await page.keyboard.press('n');
      await dialog.getByLabel('Name').fill('Shop');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByRole('heading', { name: 'The new key' }).waitFor();
    },
    'the new secret of a key': async (page, dialog) => {
      await openRow(page, 'Second key');
      await press(page, 'Rotate…');
      await dialog.getByRole('button', { name: 'Rotate key' }).click();
      await dialog.getByText('It is not shown again').waitFor();
    },
    'who signs in as a key': async (page, dialog) => {
      await openRow(page, 'Second key');
      await press(page, 'Sign-in…');
      await dialog.getByLabel('Address').fill('ada@example.com');
    },
  },
  '/users': {
    'an address that a user has': async (page, dialog) => {
      await page.keyboard.press('n');
      await dialog.getByLabel('Name').fill('Grace');
      await dialog.getByRole('textbox', { name: /address|email/i }).fill('owner@example.com');
      await dialog.getByRole('button', { name: 'Add user' }).click();
      await dialog.locator('[aria-invalid="true"], [role="alert"]').first().waitFor();
    },
  },
});

interface Filled {
  webhookId: string;
  url: string;
}

/** A workspace in which each step can be reached. Its receiver answers 500. */
async function fill({ apiKey, baseUrl }: Credentials, url: string): Promise<Filled> {
  const roster = new Roster({ apiKey, baseUrl });
  const { id } = await roster.webhooks.create({ url, events: ['CONTACT_CREATED'] });
  const tags = Array.from({ length: 100 }, (_, at) => `t${at}`);
  await roster.contacts.create({ email: 'ada@example.com', name: 'Ada', tags });
  for (const name of ['Grace', 'Bob'])
    await roster.contacts.create({ email: `${name.toLowerCase()}@example.com`, name });
  await roster.contactProperties.create({ name: 'city', label: 'City' });
  await roster.apiKeys.create({ name: 'Second key', scopes: ['user'] });
  return { webhookId: id, url };
}

test.serial(
  'what dialogs show later has no finding of axe either, at both widths, light and dark',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Later steps');
    const receiver = createServer((_, response) =>
      response.writeHead(500).end('The database is away.'),
    );
    t.teardown(() => receiver.close());
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    const filled = await fill({ apiKey, baseUrl }, `http://127.0.0.1:${port}/hook`);
    const page = await openConsole(
      t,
      { baseUrl, apiKey },
      { reducedMotion: 'reduce', expectedStatuses: [404, 409, 422] },
    );
    if (!page) return;
    // Whether people can sign in with an identity provider is a setting of the installation.
    await page.route('**/console/session/methods', (route) =>
      route.fulfill({ json: { identityProvider: 'id.example.com' } }),
    );
    const dialog = page.locator('dialog[open]');
    for (const [path, leads] of Object.entries(steps(filled)))
      for (const [name, lead] of Object.entries(leads)) {
        await page.goto(`${baseUrl}/console${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await t.notThrowsAsync(lead(page, dialog), name);
        await checkAppearances(t, page, name, above);
      }
  },
);

test.serial(
  'the dialog to sign in again has no finding of axe, at both widths, light and dark',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Ended');
    const page = await openConsole(t, { baseUrl, apiKey }, { reducedMotion: 'reduce' });
    if (!page) return;
    await page.route('**/console/session/methods', (route) =>
      route.fulfill({ json: { identityProvider: 'id.example.com' } }),
    );
    const { sessions } = new Roster({ apiKey, baseUrl });
    for (const { id } of (await sessions.list()).sessions) await sessions.delete(id);
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByRole('link', { name: 'Continue with id.example.com' }).waitFor();
    await dialog.getByLabel('API key').fill('wrong');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    await checkAppearances(t, page, 'Sign in again', above);
  },
);
