import { readFile } from 'node:fs/promises';
import { Roster } from '@roster/client';
import { eventually } from '@roster/testing';
import test from 'ava';
import type { Locator } from 'playwright-core';
import { sharedRoster } from '../system/running-roster.js';
import { accessibilityFindings } from '@roster/testing/browser';
import { tabAndPress, tabAndType } from './keyboard.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

test.serial(
  'a contact is added by keyboard, and an address that exists leads to its contact',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Add');
    const page = await openConsole(t, { baseUrl, apiKey }, { expectedStatuses: [409, 422] });
    if (!page) return;
    await page.getByRole('heading', { name: 'No contacts yet' }).waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    const add = async (address: string) => {
      await page.keyboard.press('n');
      await page.getByRole('dialog', { name: 'Add a contact' }).waitFor();
      await page.keyboard.type(address);
      await page.keyboard.press('Enter');
    };
    await add('not an address');
    await page.getByText('Must be an email address').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Contact' });
    await panel.getByText('Contact created').waitFor();
    await page.keyboard.press('Escape');
    await add('ADA@example.com');
    await page.getByRole('link', { name: 'Open the contact that has this address' }).press('Enter');
    await panel.getByRole('heading', { name: 'ada@example.com' }).waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
  },
);

test.serial(
  'a contact is added with an external ID, and one that another contact has leads to it, in the panel too',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('External ID');
    const roster = new Roster({ apiKey, baseUrl });
    await roster.contacts.create({ email: 'ada@example.com', externalId: 'crm-1' });
    const page = await openConsole(t, { baseUrl, apiKey }, { expectedStatuses: [409] });
    if (!page) return;
    await page.getByText('ada@example.com').first().waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Add a contact' });
    await tabAndType(page, dialog.getByLabel('Address'), 'bob@example.com');
    const field = dialog.getByLabel('External ID');
    await tabAndType(page, field, 'crm-1');
    await page.keyboard.press('Enter');
    await dialog.getByText('Is that of another contact').waitFor();
    await dialog.getByRole('link', { name: 'Open the contact that has this ID' }).waitFor();
    t.is(await field.getAttribute('aria-invalid'), 'true');
    t.deepEqual(await accessibilityFindings(page), []);
    await tabAndType(page, field, 'crm-2');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Contact' });
    await panel.getByText('Contact created').waitFor();
    t.like(await roster.contacts.get('email:bob@example.com'), { externalId: 'crm-2' });
    const own = panel.getByRole('textbox', { name: 'External ID' });
    await own.fill('crm-1');
    await own.press('Enter');
    await panel.getByText('Is that of another contact').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await own.fill('crm-3');
    await own.press('Enter');
    await eventually(
      async () => (await roster.contacts.get('email:bob@example.com')).externalId === 'crm-3',
    );
  },
);

test.serial(
  'a change that meets another one of the same field asks which counts, and one of another field does not',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Conflict');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.contacts.create({ email: 'ada@example.com', name: 'Ada' });
    const page = await openConsole(
      t,
      { baseUrl, apiKey },
      { path: `/contacts/${id}`, expectedStatuses: [412] },
    );
    if (!page) return;
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Mine');
    await roster.contacts.update(id, { name: 'Theirs', tags: ['vip'] });
    await page.getByText('Changed meanwhile to').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await page.getByRole('button', { name: 'Save mine' }).press('Enter');
    await eventually(async () => (await roster.contacts.get(id)).name === 'Mine');
    await name.fill('Mine again');
    await roster.contacts.update(id, { properties: { city: 'Oslo' } });
    await name.press('Enter');
    await eventually(async () => (await roster.contacts.get(id)).name === 'Mine again');
    t.like(await roster.contacts.get(id), { tags: ['vip'], properties: { city: 'Oslo' } });
  },
);

test.serial(
  'a condition that is chosen is in the address, and the list and its number follow it',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Conditions');
    const roster = new Roster({ apiKey, baseUrl });
    await roster.contacts.create({ email: 'vip@example.com', tags: ['vip'] });
    await roster.contacts.create({ email: 'customer@example.com', tags: ['customer, old'] });
    await roster.contacts.create({ email: 'plain@example.com', properties: { plan: 'gold' } });
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    const attached = { state: 'attached' } as const;
    const choose = async (
      field: string,
      condition: string,
      value?: string,
      offered: string[] = [],
    ) => {
      await page.getByRole('button', { name: /^Filters/ }).press('Enter');
      const form = page.getByRole('dialog', { name: /^Filters/ });
      await form.getByLabel('Tag or property').selectOption(field);
      await form.getByLabel('Condition').selectOption(condition);
      const input = form.getByLabel(/^Values?$/);
      if (value !== undefined) await input.fill(value);
      const list = value === undefined ? null : await input.getAttribute('list');
      for (const one of offered)
        await page.locator(`datalist[id="${list}"] option[value="${one}"]`).waitFor(attached);
      t.deepEqual(await accessibilityFindings(page), []);
      await form.getByRole('button', { name: 'Apply' }).press('Enter');
    };
    const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
    await choose('Tag', 'is any of', 'vip, "customer, old"');
    await page.getByText('2 contacts match').waitFor();
    t.is(parameter('tag'), 'any:vip,"customer, old"');
    await choose('Tag', 'is not', 'vip');
    await page.getByText('1 contact matches').waitFor();
    await page.getByRole('button', { name: 'Remove the filter tag any of' }).press('Enter');
    await page.getByText('2 contacts match').waitFor();
    await choose('plan', 'is at least', 'go', ['gold']);
    await page.getByText('1 contact matches').waitFor();
    t.is(parameter('p.plan'), 'gte:go');
    await page.locator('[data-index="0"]').getByText('plain@example.com').waitFor();
  },
);

test.serial(
  'an order by a property is kept by the address, with those without it last',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Orders');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.contactProperties.create({
      name: 'age',
      label: 'Age',
      type: 'number',
    });
    await roster.contacts.create({ email: 'none@example.com' });
    for (const age of [9, 10])
      await roster.contacts.create({ email: `is${age}@example.com`, properties: { age } });
    const page = await openConsole(t, { baseUrl, apiKey }, { expectedStatuses: [] });
    if (!page) return;
    const shows = async (...emails: string[]) => {
      for (const [at, email] of emails.entries())
        await page.locator(`[data-index="${at}"]`).getByText(email).waitFor();
    };
    const order = page.getByLabel('Order');
    await order.selectOption('Age, ascending');
    await shows('is9@example.com', 'is10@example.com', 'none@example.com');
    await order.selectOption('Age, descending');
    await shows('is10@example.com', 'is9@example.com', 'none@example.com');
    t.is(new URL(page.url()).searchParams.get('sort'), '-property:age');
    t.deepEqual(await accessibilityFindings(page), []);
    await page.reload();
    await shows('is10@example.com', 'is9@example.com', 'none@example.com');
    // The definition is gone: the reader sees why there is no list, and chooses another order.
    await roster.contactProperties.delete(id);
    await page.reload();
    await page.getByText('must name a contact property').waitFor();
    t.is(await order.inputValue(), '-property:age');
    await order.selectOption('Oldest first');
    await shows('none@example.com', 'is9@example.com', 'is10@example.com');
  },
);

test.serial(
  'values of properties are edited and filtered as their types, and a type is changed unless a value contradicts',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Types');
    const roster = new Roster({ apiKey, baseUrl });
    for (const type of ['number', 'boolean', 'date'] as const)
      await roster.contactProperties.create({ name: type, label: `A ${type}`, type });
    const properties = { number: 12.5, boolean: false, date: '2026-01-31', city: 'Oslo' };
    const { id } = await roster.contacts.create({ email: 'ada@example.com', properties });
    await roster.contacts.create({ email: 'grace@example.com', properties: { number: 9 } });
    const page = await openConsole(
      t,
      { baseUrl, apiKey },
      // A change that is sent before the answer to the one before is refused with 412, and tried again.
      { path: `/contacts/${id}`, expectedStatuses: [409, 412, 422] },
    );
    if (!page) return;
    const panel = page.getByRole('region', { name: 'Properties' });
    const stored = (expected: object) =>
      eventually(async () => {
        const { properties: now } = await roster.contacts.get(id);
        return Object.entries(expected).every(([name, value]) => now[name] === value);
      });
    await panel.getByLabel('A boolean', { exact: true }).selectOption('true');
    await stored({ boolean: true });
    await panel.getByLabel('A number', { exact: true }).fill('-3');
    await panel.getByLabel('A number', { exact: true }).press('Enter');
    await panel.getByLabel('A date', { exact: true }).fill('2026-02-01');
    await panel.getByLabel('A date', { exact: true }).press('Enter');
    await stored({ boolean: true, number: -3, date: '2026-02-01', city: 'Oslo' });
    await panel.getByLabel('A number', { exact: true }).fill('three');
    await panel.getByLabel('A number', { exact: true }).press('Enter');
    await panel.getByText('Must be a number').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: /^Filters/ }).press('Enter');
    const form = page.getByRole('dialog', { name: /^Filters/ });
    await form.getByLabel('Tag or property').selectOption('A boolean');
    t.is(await form.getByLabel('Condition').getByText('is at least').count(), 0);
    await form.getByLabel('Tag or property').selectOption('A number');
    await form.getByLabel('Condition').selectOption('is more than');
    await form.getByLabel('Value').fill('8');
    t.deepEqual(await accessibilityFindings(page), []);
    await form.getByRole('button', { name: 'Apply' }).press('Enter');
    await page.getByText('1 contact matches').waitFor();
    await page.locator('[data-index="0"]').getByText('grace@example.com').waitFor();
    // A range replaces the condition, is kept by the address, and loses one of its ends.
    const choose = async (field: string) => {
      await page.getByRole('button', { name: /^Filters/ }).press('Enter');
      await form.getByLabel('Tag or property').selectOption(field);
      await form.getByLabel('Condition').selectOption('is between');
    };
    await choose('A number');
    await form.getByRole('button', { name: 'Apply' }).press('Enter');
    await form.getByText('At least one of both is needed').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await form.getByLabel('From', { exact: true }).fill('-3');
    await form.getByLabel('To', { exact: true }).fill('8.5');
    await form.getByRole('button', { name: 'Apply' }).press('Enter');
    await page.locator('[data-index="0"]').getByText('ada@example.com').waitFor();
    t.deepEqual(new URL(page.url()).searchParams.getAll('p.number'), ['gte:-3', 'lte:8.5']);
    await page.reload();
    await page.getByText('1 contact matches').waitFor();
    await page.getByRole('button', { name: 'Remove the filter A number ≤ 8.5' }).press('Enter');
    await page.getByText('2 contacts match').waitFor();
    await choose('A date');
    await form.getByLabel('To', { exact: true }).fill('2026-02-01');
    await form.getByRole('button', { name: 'Apply' }).press('Enter');
    await page.getByText('1 contact matches').waitFor();
    t.deepEqual(new URL(page.url()).searchParams.getAll('p.date'), ['lte:2026-02-01']);
    t.deepEqual(new URL(page.url()).searchParams.getAll('p.number'), ['gte:-3']);
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Filters/ }).press('Enter');
    await form.getByLabel('Tag or property').selectOption('city');
    t.is(await form.getByLabel('Condition').getByText('is between').count(), 0);
    await page.keyboard.press('Escape');

    await page.goto(
      `${new URL(page.url()).origin}${new URL(page.url()).pathname.split('/contacts')[0]}/settings`,
    );
    await page.getByRole('button', { name: 'Edit city' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Property “city”' });
    await dialog.getByLabel('Type').selectOption('Number');
    await dialog.getByRole('button', { name: 'Check values' }).press('Enter');
    await dialog.getByText('1 of 1 value cannot be read as the type “Number”').waitFor();
    t.is(
      await dialog.getByRole('link', { name: id }).getAttribute('href'),
      `${new URL(page.url()).pathname.split('/settings')[0]}/contacts/${id}`,
    );
    t.deepEqual(await accessibilityFindings(page), []);
    await roster.contacts.update(id, { properties: { city: '12' } });
    await dialog.getByRole('button', { name: 'Check again' }).press('Enter');
    await dialog
      .getByText('1 value can be read as the type “Number”. 1 of them is written')
      .waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    t.is((await roster.contacts.get(id)).properties['city'], '12');
    await dialog.getByLabel('Type').selectOption('Text');
    await dialog.getByText('1 value can be read').waitFor({ state: 'hidden' });
    await dialog.getByLabel('Type').selectOption('Number');
    await dialog.getByRole('button', { name: 'Check values' }).press('Enter');
    // A value that is written meanwhile is found by the change itself.
    await dialog.getByRole('button', { name: 'Change type' }).waitFor();
    await roster.contacts.update(id, { properties: { city: 'Rome' } });
    await dialog.getByRole('button', { name: 'Change type' }).press('Enter');
    await dialog.getByText('The type cannot be changed').waitFor();
    await roster.contacts.update(id, { properties: { city: '7' } });
    await dialog.getByRole('button', { name: 'Change type' }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    t.is((await roster.contacts.get(id)).properties['city'], 7);
  },
);

test.serial(
  'tags are completed from those of all contacts, and one that is added keeps those of others',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Tags');
    const roster = new Roster({ apiKey, baseUrl });
    await roster.contacts.create({ email: 'hidden@example.com', tags: ['vip', 'visitor', 'old'] });
    const { id } = await roster.contacts.create({ email: 'ada@example.com', tags: ['vip'] });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: `/contacts/${id}?q=ada` });
    if (!page) return;
    const offered = async (field: Locator) => {
      const list = await field.getAttribute('list');
      const options = await page.locator(`datalist[id="${list}"] option`).all();
      return Promise.all(options.map((option) => option.getAttribute('value')));
    };
    const filter = page.getByLabel('Filter by tag');
    await filter.pressSequentially('vi');
    await eventually(async () => (await offered(filter)).join() === 'vip,visitor');
    const panel = page.getByRole('region', { name: 'Tags' });
    await panel.getByLabel('Add a tag').focus();
    await eventually(
      async () => (await offered(panel.getByLabel('Add a tag'))).join() === 'old,visitor',
    );
    await roster.contacts.update(id, { addTags: ['theirs'] });
    await page.keyboard.type('mine');
    await page.keyboard.press('Enter');
    await panel.getByText('theirs').waitFor();
    await panel.getByText('mine').waitFor();
    await panel.getByRole('button', { name: 'Remove the tag vip' }).press('Enter');
    await eventually(async () => !(await roster.contacts.get(id)).tags.includes('vip'));
    t.deepEqual((await roster.contacts.get(id)).tags, ['theirs', 'mine']);
    t.deepEqual(await accessibilityFindings(page), []);
  },
);

test.serial(
  'a deletion is undone, and one that is not is carried out when the page is left',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Delete');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.contacts.create({ email: 'ada@example.com' });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: `/contacts/${id}` });
    if (!page) return;
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    t.is((await roster.contacts.get(id)).id, id);
    await page.locator(`[data-id="${id}"]`).press('Enter');
    await page.getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    t.is((await roster.contacts.get(id)).id, id);
    await page.goto(`${baseUrl}/docs`);
    await eventually(async () => (await roster.contacts.list()).contacts.length === 0);
  },
);

test.serial(
  'a contact is erased by keyboard when its address is typed, and its end is shown',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Erase');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.contacts.create({ email: 'ada@example.com', name: 'Ada' });
    const page = await openConsole(
      t,
      { baseUrl, apiKey },
      { path: `/contacts/${id}`, expectedStatuses: [404] },
    );
    if (!page) return;
    await tabAndPress(page, page.getByRole('button', { name: 'Erase…' }));
    const dialog = page.getByRole('dialog', { name: 'Erase contact' });
    const field = dialog.getByLabel('Address of the contact');
    await tabAndType(page, field, 'grace@example.com');
    await page.keyboard.press('Enter');
    await dialog.getByText('This is another address').waitFor();
    t.is(await field.getAttribute('aria-invalid'), 'true');
    t.is((await roster.contacts.get(id)).id, id);
    const guide = await dialog
      .getByRole('link', { name: 'What else remains' })
      .getAttribute('href');
    const [path, section] = guide!.split('#');
    t.true((await (await fetch(new URL(path!, baseUrl))).text()).includes(`id="${section}"`));
    await tabAndType(page, field, ' ADA@example.com');
    await page.keyboard.press('Enter');
    await dialog.getByText(/^The contact is erased: 1 event, /).waitFor();
    const close = dialog.getByRole('button', { name: 'Close' }).last();
    t.true(await close.evaluate((element) => element === element.ownerDocument.activeElement));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.locator(`[data-id="${id}"]`).getByText('Deleted').waitFor();
    await eventually(async () => (await roster.contacts.list()).contacts.length === 0);
  },
);

test.serial(
  'a contact that was deleted before is erased where its ID leads to, with an address that it had',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Erase later');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.contacts.create({ email: 'ada@example.com' });
    await roster.contacts.batch({ operations: [{ action: 'delete', id }] });
    const page = await openConsole(
      t,
      { baseUrl, apiKey },
      { path: `/contacts/${id}`, expectedStatuses: [404, 422] },
    );
    if (!page) return;
    await page.getByText('There is no such contact').waitFor();
    await page.getByRole('button', { name: 'Erase…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Erase contact' });
    const field = dialog.getByLabel('Address that the contact had');
    await field.fill('no address');
    await field.press('Enter');
    await dialog.getByText('Must be an email address').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await field.fill('ada@example.com');
    await field.press('Enter');
    await dialog.getByText(/^The contact is erased: 2 events, /).waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
  },
);

test.serial(
  'the contacts that are shown are downloaded by the browser, and the page does not hold them',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Export');
    const roster = new Roster({ apiKey, baseUrl });
    await roster.contacts.create({ email: 'ada@example.com', tags: ['vip'] });
    await roster.contacts.create({ email: 'grace@example.com' });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: '/contacts?tag=vip' });
    if (!page) return;
    const read: string[] = [];
    page.on('requestfinished', (request) => void read.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: /^Export/ }).press('Enter');
    await page.getByLabel('Format').selectOption('ndjson');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).press('Enter'),
    ]);
    t.is(download.suggestedFilename(), 'contacts.ndjson');
    const rows = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    t.deepEqual(
      rows.map((row) => (JSON.parse(row) as { email: string }).email),
      ['ada@example.com'],
    );
    await page.getByRole('status').filter({ hasText: 'among the downloads' }).waitFor();
    t.false(read.some((path) => path.includes('/exports/contacts')));
  },
);

test.serial(
  'contacts that are created meanwhile move no row until they are asked for',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Live');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.contacts.create({ email: 'ada@example.com', name: 'Ada' });
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const firstRow = page.locator('[data-index="0"]');
    await firstRow.getByText('Ada', { exact: true }).waitFor();
    await roster.contacts.create({ email: 'grace@example.com', name: 'Grace' });
    await roster.contacts.update(id, { name: 'Ada Lovelace' });
    await page.getByRole('button', { name: '1 new contact' }).waitFor();
    await firstRow.getByText('Ada Lovelace').waitFor();
    t.is(await page.locator('[data-index]').count(), 1);
    await page.getByRole('button', { name: '1 new contact' }).press('Enter');
    await firstRow.getByText('Grace', { exact: true }).waitFor();
    t.is(await page.locator('[data-index]').count(), 2);
  },
);

test.serial(
  'tags are added to a selection, and a contact that cannot have another one is listed',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Bulk');
    const roster = new Roster({ apiKey, baseUrl });
    const full = Array.from({ length: 100 }, (_, at) => `t${at}`);
    await roster.contacts.create({ email: 'full@example.com', tags: full });
    await roster.contacts.create({ email: 'free@example.com', tags: ['one'] });
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    await page.locator('[data-index="1"]').waitFor();
    await page.keyboard.press('j');
    await page.locator('[data-index="0"]:focus').waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.locator('[data-index="1"]:focus').waitFor();
    await page.keyboard.press('Shift+X');
    await page.getByRole('region', { name: 'Selection' }).getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Add tag' }).press('Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await page.getByText('Added the tag to 1 contact. Refused: 1.').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    const tags = async (email: string) => (await roster.contacts.list({ email })).contacts[0]!.tags;
    t.deepEqual(await tags('free@example.com'), ['one', 'two']);
    t.deepEqual(await tags('full@example.com'), full);
  },
);
