import { Roster } from '@roster/client';
import { accessibilityFindings } from '@roster/testing/browser';
import test, { type ExecutionContext } from 'ava';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sharedRoster } from '../system/running-roster.js';
import { above, checkAppearances } from './appearances.js';
import { goTo, tabAndPress, tabAndType, tabTo } from './keyboard.js';
import { closeBrowser, openConsole } from './open-console.js';

test.after.always(closeBrowser);

/** A receiver on loopback that answers with a status, which can be changed. */
async function startReceiver(t: ExecutionContext, status: number) {
  const receiver = { status, url: '' };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.statusCode = receiver.status;
      response.end(receiver.status === 200 ? 'ok' : 'The database is away.');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

test.serial(
  'by keyboard, a webhook is added, why its delivery failed is read, and it is sent again when the receiver is mended',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Failed');
    const roster = new Roster({ apiKey, baseUrl });
    const receiver = await startReceiver(t, 500);
    const page = await openConsole(t, { baseUrl, apiKey });
    if (!page) return;
    await goTo(page, 'w', 'Webhooks');
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'Add webhook' }).waitFor();
    await page.keyboard.type(receiver.url);
    await page.keyboard.press('Enter');
    const added = page.getByRole('dialog', { name: 'Webhook added' });
    await tabAndPress(page, added.getByRole('button', { name: 'Open webhook' }));
    await page.getByRole('heading', { level: 1, name: receiver.url }).waitFor();
    await page.getByText('Nothing was sent yet').waitFor();
    await roster.contacts.create({ email: 'ada@example.com' });
    const row = page.locator('[data-index="0"]');
    await row.getByText('500').waitFor();
    await page.keyboard.press('j');
    await page.locator('[data-index="0"]:focus').waitFor();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Delivery: Contact created' });
    await panel.getByText(/^Failed/).waitFor();
    await panel.getByText('The database is away.').waitFor();
    const attempt = panel.getByRole('region', { name: 'Attempts' }).locator('summary').first();
    await tabAndPress(page, attempt);
    await panel.getByText('The database is away.').waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await panel.getByText('The database is away.').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    receiver.status = 200;
    await page.keyboard.press('s');
    // A retry by itself may have come first.
    await panel.getByText(/^\d+\. sent again/).waitFor();
    await panel.getByText(/^Delivered at attempt \d+: the receiver answered 200/).waitFor();
    await row.getByText('200').waitFor();
    t.is(await row.getByText('Pending').count(), 0);
    t.is(await page.locator('[data-index]').count(), 1);
    t.deepEqual(await accessibilityFindings(page), []);
  },
);

test.serial(
  'by keyboard, a replay is counted, started and followed, and remains listed',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Replay');
    const roster = new Roster({ apiKey, baseUrl });
    const receiver = await startReceiver(t, 200);
    const { id } = await roster.webhooks.create({
      url: receiver.url,
      events: ['CONTACT_CREATED'],
    });
    for (const email of ['ada@example.com', 'grace@example.com'])
      await roster.contacts.create({ email });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: `/webhooks/${id}` });
    if (!page) return;
    await page.locator('[data-index="1"]').getByText('200').waitFor();
    await tabAndPress(page, page.getByRole('button', { name: 'Replay' }));
    const dialog = page.getByRole('dialog', { name: 'Replay' });
    await tabTo(page, dialog.getByLabel('Deliveries'));
    await page.keyboard.type('Deliv');
    await tabAndPress(page, dialog.getByRole('button', { name: 'Count deliveries' }));
    await dialog.getByText('2 deliveries would be sent again.').waitFor();
    t.deepEqual((await roster.replays.list()).replays, []);
    await tabAndPress(page, dialog.getByRole('button', { name: 'Send 2 deliveries again' }));
    await dialog.getByText('All are queued').waitFor();
    await dialog.getByText('2 of 2 queued').waitFor();
    await tabAndPress(page, dialog.getByRole('button', { name: 'Close' }).last());
    await page.locator('[data-index="0"]').getByText('2', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    const former = dialog.getByRole('region', { name: 'Former replays' });
    await former.getByText('2 sent again').waitFor();
    await former.getByText(/^delivered deliveries from/).waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
  },
);

test.serial('the health of all webhooks of the list is read in one request', async (t) => {
  const { baseUrl, newWorkspace } = await sharedRoster(t);
  const { apiKey } = await newWorkspace('Health');
  const roster = new Roster({ apiKey, baseUrl });
  const [good, bad] = [await startReceiver(t, 200), await startReceiver(t, 500)];
  for (const { url } of [good, bad])
    await roster.webhooks.create({ url, events: ['CONTACT_CREATED'] });
  const page = await openConsole(t, { baseUrl, apiKey });
  if (!page) return;
  await roster.contacts.create({ email: 'ada@example.com' });
  let requests = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes('webhookHealth')) requests += 1;
  });
  await goTo(page, 'w', 'Webhooks');
  const row = (url: string) => page.getByRole('listitem').filter({ hasText: url });
  await row(good.url).getByText('100%').waitFor();
  await row(bad.url).getByText('0%', { exact: true }).waitFor();
  t.is(requests, 1);
});

test.serial(
  'by keyboard, a filter is made of conditions, and what the API says of one is shown at it',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Filter');
    const roster = new Roster({ apiKey, baseUrl });
    await roster.contactProperties.create({ name: 'plan', label: 'Plan' });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: '/webhooks' });
    if (!page) return;
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Add webhook' });
    await dialog.waitFor();
    await page.keyboard.type('http://127.0.0.1:1024/hook');
    const filter = dialog.getByRole('group', { name: 'Filter' });
    /** Adds a row, whose first control has the focus then. */
    const add = async (button: string, first: string) => {
      await tabAndPress(page, filter.getByRole('button', { name: button, exact: true }));
      await page.keyboard.type(first);
    };
    const condition = (n: number) => filter.getByRole('group', { name: `Condition ${n}` });
    await add('Changed field', 'Tags');
    await add('Changed field', 'Plan');
    await add('Condition', 'Tag');
    await page.keyboard.press('Tab');
    await page.keyboard.type('is any');
    await tabAndType(page, condition(1).getByRole('textbox'), 'vip, "a, b"');
    await add('Condition', 'Plan');
    await page.keyboard.press('Tab');
    await page.keyboard.type('is at least');
    await tabAndType(page, condition(2).getByRole('combobox', { name: 'Value' }), 'gold');
    await add('Condition', 'Status');
    await add('Condition', 'Plan');
    await page.keyboard.press('Tab');
    await page.keyboard.type('is none');
    await tabAndType(page, condition(4).getByRole('textbox'), '"silver');
    await add('Condition', 'Tag');
    await tabAndType(page, condition(5).getByRole('combobox', { name: 'Value' }), 'x'.repeat(65));
    await page.keyboard.press('Enter');
    await condition(5).locator('[aria-invalid="true"]').waitFor();
    await filter.getByRole('alert').getByText('Must be 1 to 64 characters').waitFor();
    await filter.getByRole('alert').getByText('Must close each quote').waitFor();
    await condition(4).locator('[aria-invalid="true"]').waitFor();
    t.is(await condition(2).locator('[aria-invalid="true"]').count(), 0);
    await checkAppearances(t, page, 'a filter', above);
    await condition(4).getByRole('textbox').press('End');
    await page.keyboard.type('"');
    await tabAndPress(page, filter.getByRole('button', { name: 'Remove condition 5' }));
    await tabAndPress(page, dialog.getByRole('button', { name: 'Add webhook' }));
    await page.getByRole('dialog', { name: 'Webhook added' }).waitFor();
    const [webhook] = (await roster.webhooks.list()).webhooks;
    t.deepEqual(webhook!.filter, {
      changed: ['tags', 'properties.plan'],
      tag: ['any:vip,"a, b"'],
      status: 'subscribed',
      property: { plan: ['gte:gold', 'none:"silver"'] },
    });
  },
);

test.serial(
  'a filter is shown as its conditions, also as JSON, and one that they cannot express only so',
  async (t) => {
    const { baseUrl, newWorkspace } = await sharedRoster(t);
    const { apiKey } = await newWorkspace('Filter as JSON');
    const roster = new Roster({ apiKey, baseUrl });
    const { id } = await roster.webhooks.create({
      url: 'http://127.0.0.1:1024/hook',
      events: ['CONTACT_UPDATED'],
      filter: {
        changed: ['properties.gone'],
        tag: ['not:old', 'any:a%2Cb,c', 'is:exists'],
        property: { city: ['exists', 'lt:P'] },
      },
    });
    const page = await openConsole(t, { baseUrl, apiKey }, { path: `/webhooks/${id}` });
    if (!page) return;
    await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit webhook' });
    const filter = dialog.getByRole('group', { name: 'Filter' });
    const valuesOf = (name: string) =>
      filter
        .getByRole('group', { name })
        .locator('select, input')
        .all()
        .then((all) => Promise.all(all.map((one) => one.inputValue())));
    await filter.getByRole('group', { name: 'Condition 5' }).waitFor();
    t.deepEqual(await valuesOf('Changed field 1'), ['properties.gone']);
    t.deepEqual(await valuesOf('Condition 1'), ['tag', 'not', 'old']);
    t.deepEqual(await valuesOf('Condition 2'), ['tag', 'any', '"a,b", c']);
    t.deepEqual(await valuesOf('Condition 3'), ['tag', 'is', 'exists']);
    t.deepEqual(await valuesOf('Condition 4'), ['property/city', 'exists']);
    t.deepEqual(await valuesOf('Condition 5'), ['property/city', 'lt', 'P']);
    await filter.getByRole('button', { name: 'Remove condition 2' }).press('Enter');
    await filter.getByRole('button', { name: 'Edit as JSON' }).press('Enter');
    const json = filter.getByRole('textbox', { name: 'Filter as JSON' });
    t.deepEqual(JSON.parse(await json.inputValue()), {
      changed: ['properties.gone'],
      tag: ['not:old', 'is:exists'],
      property: { city: ['exists', 'lt:P'] },
    });
    await json.fill('{"tag": ["vip"], "colour": "red"}');
    await filter.getByText('This filter can only be edited as JSON.').waitFor();
    const save = dialog.getByRole('button', { name: 'Save' });
    await save.press('Enter');
    await filter.getByRole('alert').getByText('colour: Is not a known field').waitFor();
    await json.fill('{');
    await save.press('Enter');
    await filter.getByRole('alert').getByText('Must be a JSON object').waitFor();
    t.deepEqual(await accessibilityFindings(page), []);
    await json.fill('{"tag": ["vip"]}');
    await filter.getByRole('button', { name: 'Edit as conditions' }).press('Enter');
    t.deepEqual(await valuesOf('Condition 1'), ['tag', 'is', 'vip']);
    await dialog.getByRole('checkbox', { name: 'Send the trace' }).check();
    await save.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    t.like(await roster.webhooks.get(id), { filter: { tag: ['vip'] }, traceContext: true });
  },
);
