import { Roster } from '@roster/client';
import test from 'ava';
import { sharedRoster } from '../system/running-roster.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

test.serial(
  'by keyboard, the key that opened the console is revoked in the middle of a form, which keeps what was typed',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Revoked key');
    const roster = new Roster({ apiKey, baseUrl });
    const opening = await roster.apiKeys.create({ name: 'Console', scopes: ['user'] });
    const credentials = { baseUrl, apiKey: opening.secret };
    const page = await openConsole(t, credentials, { expectedStatuses: [401] });
    if (!page) return;
    await page.keyboard.press('n');
    const form = page.getByRole('dialog', { name: 'Add a contact' });
    await form.waitFor();
    await page.keyboard.type('kept@example.com');
    await roster.apiKeys.delete(opening.apiKey.id);
    await page.keyboard.press('Enter');
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again
      .getByText('The session has ended. Sign in again: what you have typed is kept.')
      .waitFor();
    await page.keyboard.type(apiKey);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'detached' });
    t.is(await form.getByRole('textbox').first().inputValue(), 'kept@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'kept@example.com' }).waitFor();
  },
);

test.serial('by keyboard, the reader signs out, and the screens are gone', async (t) => {
  const { baseUrl, newWorkspace } = await sharedRoster(t);
  const { apiKey } = await newWorkspace('Left');
  const page = await openConsole(t, { baseUrl, apiKey });
  if (!page) return;
  await page.keyboard.press('Control+k');
  await page.keyboard.type('sign out');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in to Roster' }).waitFor();
  t.is(await page.getByRole('navigation').count(), 0);
  t.is((await new Roster({ apiKey, baseUrl }).sessions.list()).sessions.length, 0);
  await page.goBack();
  await page.goForward();
  await page.getByRole('heading', { name: 'Sign in to Roster' }).waitFor();
});
