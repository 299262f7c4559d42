import { addSample } from '@roster/local/sample';
import { eventually } from '@roster/testing';
import test from 'ava';
import { openRoster } from './client.js';
import { sharedRoster, type SharedRoster } from './running-roster.js';

let roster: SharedRoster;
test.before(async (t) => {
  roster = await sharedRoster(t);
});

test('a sample workspace has contacts and a webhook to switch on, which then receives what happens; once', async (t) => {
  const workspace = { baseUrl: roster.baseUrl, ...(await roster.newWorkspace('Sample')) };
  const client = openRoster(workspace);
  const first = await addSample({ ...workspace, port: 0 });
  const { contacts, pagination } = await client.contacts.list({ limit: 100 });
  t.is(pagination.total, 240);
  t.true(contacts.some(({ status }) => status === 'unsubscribed'));
  const [webhook, ...others] = (await client.webhooks.list()).webhooks;
  t.deepEqual(others, []);
  t.is(webhook!.status, 'disabled');
  first.stop();

  // A later start has another port here, and keeps what the reader has done.
  await client.webhooks.enable(webhook!.id);
  await client.contacts.create({ email: 'mine@example.com' });
  const second = await addSample({ ...workspace, port: 0 });
  t.teardown(second.stop);
  const { webhooks } = await client.webhooks.list();
  t.deepEqual(
    webhooks.map(({ id, url, status }) => [id, url, status === 'disabled']),
    [[webhook!.id, second.url, false]],
  );
  t.is((await client.contacts.list({ limit: 1 })).pagination.total, 241);
  await client.contacts.create({ email: 'delivered@example.com' });
  await eventually(async () => {
    const { deliveries } = await client.deliveries.list(webhook!.id, { status: 'delivered' });
    return deliveries.length > 0;
  });
});
