import test from 'ava';
import { sharedRoster, type SharedRoster } from '../system/running-roster.js';
import { closeBrowser, openConsole, signInUrl } from './open-console.js';

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});
test.after.always(closeBrowser);

const newWorkspace = async (name: string) => ({
  baseUrl: roster.baseUrl,
  ...(await roster.newWorkspace(name)),
});

test('a newcomer signs in with a link, adds a contact by keyboard, and sees it', async (t) => {
  const page = await openConsole(t, await newWorkspace('First minute'));
  if (!page) return;
  t.notRegex(page.url(), /rsl_/, 'the link does not stay in the address');
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').first().waitFor();
  await page.keyboard.type('ada@example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: 'ada@example.com' }).waitFor();
});

test('a link signs in once, and a second use says how to get another', async (t) => {
  const workspace = await newWorkspace('Used link');
  const page = await openConsole(t, workspace, { expectedStatuses: [404, 422, 403] });
  if (!page) return;
  const url = await signInUrl(workspace);
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  await page.getByRole('heading', { name: 'Sign in to Roster' }).waitFor();
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByRole('button', { name: /^Open / }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  await page.getByRole('heading', { name: 'Sign in to Roster' }).waitFor();
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByRole('alert').waitFor();
  await page.getByText('Links work once').waitFor();
  t.pass();
});

test('after signing out, nothing of the workspace is shown, and a pasted key signs in again', async (t) => {
  const workspace = await newWorkspace('Signed out');
  const page = await openConsole(t, workspace);
  if (!page) return;
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  const key = page.getByLabel('API key');
  await key.waitFor();
  t.notRegex(await page.locator('body').innerText(), /Signed out/);
  await page.reload();
  await key.waitFor();
  await page.keyboard.type(workspace.apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor();
  const stored: string = await page.evaluate(
    'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])',
  );
  t.notRegex(stored, /rs[klts]_/);
});

test('a session that ends in the middle of a form keeps what was typed, and goes on after signing in again', async (t) => {
  const workspace = await newWorkspace('Revoked');
  const page = await openConsole(t, workspace, { expectedStatuses: [401] });
  if (!page) return;
  const headers = { authorization: `Bearer ${workspace.apiKey}` };
  await page.keyboard.press('n');
  const email = page.getByRole('dialog').getByRole('textbox').first();
  await email.fill('kept@example.com');
  const { sessions } = (await (
    await fetch(`${roster.baseUrl}/v1/sessions`, { headers })
  ).json()) as { sessions: { id: string }[] };
  t.is(sessions.length, 1);
  const ended = await fetch(`${roster.baseUrl}/v1/sessions/${sessions[0]!.id}`, {
    method: 'DELETE',
    headers,
  });
  t.true(ended.ok);
  await page.keyboard.press('Enter');
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.waitFor();
  await again.getByLabel('API key').fill(workspace.apiKey);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  t.is(await email.inputValue(), 'kept@example.com');
  await email.press('Enter');
  await page.getByRole('row').filter({ hasText: 'kept@example.com' }).waitFor();
});

test('a contact that arrives is announced, and after a lost connection none is missed', async (t) => {
  const workspace = await newWorkspace('Arrivals');
  const page = await openConsole(t, workspace);
  if (!page) return;
  const create = async (email: string) => {
    const response = await fetch(`${roster.baseUrl}/v1/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    t.is(response.status, 201);
  };
  await page.getByText('Live', { exact: true }).waitFor();
  await create('first@example.com');
  await page.getByRole('row').filter({ hasText: 'first@example.com' }).waitFor();
  await page.context().setOffline(true);
  await page.getByText('Reconnecting…').waitFor();
  await create('second@example.com');
  await create('third@example.com');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: /2 new contacts/ }).press('Enter');
  await page.getByRole('row').filter({ hasText: 'third@example.com' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'second@example.com' }).waitFor();
});
