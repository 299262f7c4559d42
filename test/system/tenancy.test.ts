import { eventually } from '@roster/testing';
import test from 'ava';
import { Client, type Contact } from './client.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster } from './running-roster.js';

test("a second workspace's key sees, changes and hears nothing of the first, on any endpoint", async (t) => {
  t.timeout(120_000);
  const roster = await startRoster({ env: patience });
  t.teardown(() => roster.discard());
  const ours = await startReceiver();
  const theirs = await startReceiver();
  t.teardown(() => Promise.all([ours.stop(), theirs.stop()]));
  const owner = new Client(roster);
  const second = await roster.newWorkspace('Second');
  const stranger = new Client({ baseUrl: roster.baseUrl, apiKey: second.apiKey });

  const { contact } = (
    await owner.post<{ contact: Contact }>('/v1/contacts', {
      email: 'a@example.com',
      properties: { plan: 'pro' },
    })
  ).body;
  const { webhook } = (
    await owner.post<{ webhook: { id: string } }>('/v1/webhooks', {
      url: ours.url,
      events: ['CONTACT_CREATED', 'CONTACT_UPDATED'],
    })
  ).body;
  await stranger.post('/v1/webhooks', {
    url: theirs.url,
    events: ['CONTACT_CREATED', 'CONTACT_UPDATED'],
  });
  const { properties } = (
    await owner.get<{ properties: { id: string }[] }>('/v1/contact-properties')
  ).body;
  const propertyId = properties[0]!.id;
  const before = {
    contact: (await owner.get(`/v1/contacts/${contact.id}`)).body,
    webhook: (await owner.get(`/v1/webhooks/${webhook.id}`)).body,
    properties: (await owner.get('/v1/contact-properties')).body,
  };

  const refused: [string, string, object?][] = [
    ['GET', `/v1/contacts/${contact.id}`],
    ['PUT', `/v1/contacts/${contact.id}`, { name: 'X' }],
    ['PUT', `/v1/contacts/${contact.id}`, { email: 'x@example.com' }],
    ['POST', `/v1/contacts/${contact.id}/unsubscribe`],
    ['POST', `/v1/contacts/${contact.id}/resubscribe`],
    ['DELETE', `/v1/contacts/${contact.id}`],
    ['PUT', `/v1/contact-properties/${propertyId}`, { label: 'X', description: 'X' }],
    ['GET', `/v1/webhooks/${webhook.id}`],
    ['PUT', `/v1/webhooks/${webhook.id}`, { events: ['CONTACT_DELETED'] }],
    ['DELETE', `/v1/webhooks/${webhook.id}`],
  ];
  for (const [method, path, body] of refused) {
    const answer = await stranger.send<{ code: string }>(method, path, body);
    t.is(answer.status, 404, `${method} ${path}`);
    t.is(answer.body.code, 'not_found');
  }
  t.like((await stranger.get('/v1/contacts')).body, { contacts: [], pagination: { total: 0 } });
  t.deepEqual((await stranger.get('/v1/contact-properties')).body, { properties: [] });
  t.is(
    (await stranger.get<{ webhooks: object[] }>('/v1/webhooks')).body.webhooks.length,
    1,
    'its own',
  );
  t.is((await stranger.get<{ user: { id: string } }>('/v1/users/me')).body.user.id, second.userId);
  // What is unique is so within a workspace.
  t.is(
    (await stranger.post('/v1/contacts', { email: 'a@example.com', properties: { plan: 'free' } }))
      .status,
    201,
  );
  t.is((await stranger.post('/v1/users', { email: 'new@example.com', name: 'N' })).status, 201);
  t.is((await owner.post('/v1/users', { email: 'new@example.com', name: 'N' })).status, 201);

  t.deepEqual(
    {
      contact: (await owner.get(`/v1/contacts/${contact.id}`)).body,
      webhook: (await owner.get(`/v1/webhooks/${webhook.id}`)).body,
      properties: (await owner.get('/v1/contact-properties')).body,
    },
    before,
  );
  await owner.put(`/v1/contacts/${contact.id}`, { name: 'Renamed' });
  await eventually(() => ours.received.some(({ body }) => body.event === 'CONTACT_UPDATED'), {
    timeoutMs: 20_000,
  });
  await eventually(() => theirs.received.length > 0, { timeoutMs: 20_000 });
  t.deepEqual(
    theirs.received.map(({ body }) => body.event),
    ['CONTACT_CREATED'],
  );
  t.true(theirs.received.every(({ body }) => body.data.contact!.id !== contact.id));
});
