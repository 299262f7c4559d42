import { Roster } from '@roster/client';
import { TcpProxy } from '@roster/testing';
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

test.serial(
  'a newcomer signs in with a link, adds a contact by keyboard, and sees it',
  async (t) => {
    const page = await openConsole(t, await newWorkspace('First minute'));
    if (!page) return;
    t.notRegex(page.url(), /rsl_/, 'the link does not stay in the address');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').first().waitFor();
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'ada@example.com' }).waitFor();
  },
);

test.serial('a link signs in once, and a second use says how to get another', async (t) => {
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

test.serial(
  'after signing out, nothing of the workspace is shown, and a pasted key signs in again',
  async (t) => {
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
  },
);

test.serial(
  'a session that ends in the middle of a form keeps what was typed, and goes on after signing in again',
  async (t) => {
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
  },
);

test.serial(
  'over a link that dies without a word, contacts that arrive are announced when it is back, and none is missed',
  async (t) => {
    const workspace = await newWorkspace('Arrivals');
    const { port } = new URL(roster.baseUrl);
    const link = await TcpProxy.start({ host: '127.0.0.1', port: Number(port) });
    t.teardown(() => link.stop());
    const problems: string[] = [];
    const credentials = { ...workspace, baseUrl: `http://127.0.0.1:${link.port}` };
    const page = await openConsole(t, credentials, { problems });
    if (!page) return;
    const client = new Roster(workspace);
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    const status = page.getByRole('navigation').getByRole('status');
    await status.getByText('Live').waitFor();
    await client.contacts.create({ email: 'first@example.com' });
    await row('first@example.com').waitFor();
    await link.setMode('silence');
    await client.contacts.create({ email: 'second@example.com' });
    await client.contacts.create({ email: 'third@example.com' });
    await status.getByText('Reconnecting…').waitFor();
    await link.setMode('forward');
    await page.getByRole('button', { name: '2 new contacts' }).press('Enter');
    await row('second@example.com').waitFor();
    await row('third@example.com').waitFor();
    t.deepEqual(
      problems.filter((problem) => !problem.startsWith('console: WebSocket connection')),
      [],
    );
  },
);

test.serial('a script in GraphiQL cannot use the session, and its key still can', async (t) => {
  const workspace = await newWorkspace('Sandboxed');
  await new Roster(workspace).contacts.create({ email: 'ada@example.com' });
  const problems: string[] = [];
  const page = await openConsole(t, workspace, { problems });
  if (!page) return;
  /** Statuses of answers that the browser got, whether or not a script may read them. */
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/console/session/token')) statuses.push(response.status());
  });
  const tries = ['cors', 'no-cors', 'same-origin'].map(
    (mode) => `fetch(location.origin + '/console/session/token', {
      method: 'POST', mode: '${mode}', credentials: 'include', body: '{}',
      headers: { 'content-type': '${mode === 'no-cors' ? 'text/plain' : 'application/json'}' },
    }).then((answer) => answer.ok ? answer.json() : {}, () => ({})).then(({ token }) => Boolean(token))`,
  );
  const buy = () => page.evaluate<boolean[]>(`Promise.all([${tries.join()}])`);
  t.deepEqual(await buy(), [true, false, true], 'the page of the console can');
  t.true(statuses.includes(200));
  statuses.length = 0;
  problems.length = 0;
  await page.goto(`${workspace.baseUrl}/graphql`);
  await page.locator('.graphiql-execute-button').waitFor();
  t.deepEqual(problems, []);
  t.is(await page.evaluate('self.origin'), 'null');
  t.deepEqual(await buy(), [false, false, false]);
  t.false(statuses.includes(200), String(statuses));
  await page.getByLabel('API key').fill(workspace.apiKey);
  await page.getByLabel('API key').press('Enter');
  await page.locator('.graphiql-execute-button').click();
  await page.locator('.result-window').getByText('ada@example.com').waitFor();
});

test.serial('the rows of contacts are asked for once, before the scripts are there', async (t) => {
  const workspace = await newWorkspace('First rows');
  await new Roster(workspace).contacts.create({ email: 'ada@example.com' });
  const page = await openConsole(t, workspace);
  if (!page) return;
  const asked: string[] = [];
  const rows = Promise.withResolvers<void>();
  page.on('request', (request) => {
    if (!request.url().endsWith('/graphql')) return;
    const { query } = request.postDataJSON() as { query: string };
    asked.push(/^(?:query|mutation) ?(\w+)/.exec(query)?.[1] ?? query);
    if (query.startsWith('query Contacts(')) rows.resolve();
  });
  await page.route(/\/assets\/index-[^/]+\.js$/, async (route) => {
    await rows.promise;
    await route.continue();
  });
  await page.goto(`${workspace.baseUrl}/console/contacts`);
  await page.getByRole('row').filter({ hasText: 'ada@example.com' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  for (const name of ['LatestEvents', 'ContactProperties', 'Contacts'])
    t.is(asked.filter((one) => one === name).length, 1, name);
});
