import { Roster } from '@roster/client';
import { freePort } from '@roster/embedded';
import { OpenIdIssuer, openIdClient } from '@roster/testing/openid-issuer';
import test from 'ava';
import type { Page } from 'playwright-core';
import { patience, startRoster } from '../system/running-roster.js';
import { goTo, tabAndPress, tabAndType, tabTo } from './keyboard.js';
import { closeBrowser, openConsole, openPage } from './open-console.js';

test.after.always(closeBrowser);

/** On the page of the console to sign in, and on those of the issuer. */
async function logIn(page: Page, account: string): Promise<void> {
  await tabAndPress(page, page.getByRole('link', { name: /^Continue with localhost:/ }));
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await tabAndType(page, page.getByRole('textbox', { name: 'Account' }), account);
  await tabAndPress(page, page.getByRole('button', { name: 'Log in' }));
  await page.getByRole('heading', { name: 'Consent' }).waitFor();
  await tabAndPress(page, page.getByRole('button', { name: 'Allow' }));
}

test('by keyboard, an administrator lets a person sign in as a key, who logs in at the issuer, chooses a workspace and works with the scopes of the key until the session is revoked, and a person without a key is told so', async (t) => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const issuer = await OpenIdIssuer.start({ publicUrl: baseUrl, hasPages: true });
  t.teardown(() => issuer.close());
  for (const name of ['ada', 'eve'])
    issuer.accounts.set(name, { email: `${name}@example.com`, email_verified: true });
  const { newWorkspace, discard } = await startRoster({
    t,
    env: {
      ...patience,
      PORT: `${port}`,
      PUBLIC_URL: baseUrl,
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: openIdClient.clientId,
      OIDC_CLIENT_SECRET: openIdClient.clientSecret,
    },
  });
  t.teardown(discard);
  const [here, elsewhere] = [await newWorkspace('Here'), await newWorkspace('Elsewhere')];
  const roster = new Roster({ apiKey: here.apiKey, baseUrl });
  await roster.apiKeys.create({ name: 'Desk of Ada', scopes: ['user'] });
  const { apiKeys } = await new Roster({ apiKey: elsewhere.apiKey, baseUrl }).apiKeys.list();
  await new Roster({ apiKey: elsewhere.apiKey, baseUrl }).apiKeys.setSignIn(apiKeys[0]!.id, {
    email: 'ada@example.com',
  });

  const page = await openConsole(t, { baseUrl, apiKey: here.apiKey });
  if (!page) return;
  await goTo(page, 'k', 'Keys');
  await tabTo(page, page.getByRole('row').filter({ hasText: 'Desk of Ada' }), 'j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Desk of Ada' }).waitFor();
  await tabAndPress(page, page.getByRole('button', { name: 'Sign-in…' }));
  const dialog = page.getByRole('dialog', { name: 'Who signs in as “Desk of Ada”' });
  await dialog.getByRole('textbox', { name: 'Address' }).waitFor();
  await page.keyboard.type('Ada@example.com');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Ada@example.com').waitFor();
  await tabAndPress(page, page.getByRole('button', { name: 'Sign out' }));

  const opened = page.waitForResponse('**/console/session/open');
  await logIn(page, 'ada');
  await page.getByRole('button', { name: 'Open Elsewhere' }).waitFor();
  await tabAndPress(page, page.getByRole('button', { name: 'Open Here' }));
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  const { workspace, scopes } = (await (await opened).json()) as {
    workspace: { name: string };
    scopes: string[];
  };
  t.is(workspace.name, 'Here');
  t.deepEqual(scopes, ['user']);
  t.notRegex(page.url(), /#/, 'the links do not stay in the address');

  const administrator = await openConsole(
    t,
    { baseUrl, apiKey: here.apiKey },
    { path: '/settings' },
  );
  const sessions = administrator!.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
  await sessions.filter({ hasText: 'This browser' }).waitFor();
  t.is(await sessions.count(), 2);
  await tabAndPress(
    administrator!,
    sessions.filter({ hasNotText: 'This browser' }).getByRole('button', { name: /^End / }),
  );
  await sessions.filter({ hasNotText: 'This browser' }).waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await tabTo(page, again.getByRole('link', { name: /^Continue with localhost:/ }));

  const stranger = await openPage(t);
  await stranger!.goto(`${baseUrl}/console`);
  await logIn(stranger!, 'eve');
  await stranger!
    .getByText('Nobody has allowed your email address to sign in. Ask a member of your workspace')
    .waitFor();
  t.is(await stranger!.getByRole('button', { name: /^Open / }).count(), 0);
});
