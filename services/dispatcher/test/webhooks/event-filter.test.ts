import { eventually } from '@roster/testing';
import test from 'ava';
import { eventFilter, factsOf } from '../../webhooks/event-filter.js';
import { webhookFilter } from '@roster/contracts';
import type { z } from 'zod';
import { receiverFor } from '../receiver.js';
import { runDispatcher } from '../running-dispatcher.js';

const details = {
  contact: {
    tags: ['vip', 'a,b'],
    properties: { city: 'Paris', plan: '', age: 9, member: true },
    status: 'subscribed',
  },
  previous: { email: 'b@example.com', properties: { city: null } },
};
type GivenFilter = z.input<typeof webhookFilter>;

const matches = (
  filter: GivenFilter,
  kind = 'CONTACT_UPDATED',
  given: object | null = details,
): boolean => {
  const facts = factsOf(kind, given ? JSON.stringify(given) : undefined);
  return facts !== null && eventFilter(webhookFilter.parse(filter))(facts);
};

for (const [filter, expected] of [
  [{ changed: ['email'] }, true],
  [{ changed: ['name'] }, false],
  [{ changed: ['name', 'properties'] }, true],
  [{ changed: ['properties.city'] }, true],
  [{ changed: ['properties.plan'] }, false],
  [{ tag: ['vip'] }, true],
  [{ tag: ['is:vip'] }, true],
  [{ tag: ['any:x,vip'] }, true],
  [{ tag: ['any:x,y'] }, false],
  [{ tag: ['none:x,y'] }, true],
  [{ tag: ['not:vip'] }, false],
  [{ tag: ['a,b'] }, true],
  [{ tag: ['any:"a,b",x'] }, true],
  [{ tag: ['any:a%2Cb'] }, true],
  [{ tag: ['vip', 'x'] }, false],
  [{ tag: ['exists'] }, true],
  [{ tag: ['missing'] }, false],
  [{ status: 'subscribed' }, true],
  [{ status: 'not:subscribed' }, false],
  [{ property: { city: 'Paris' } }, true],
  [{ property: { city: 'any:London,Paris' } }, true],
  [{ property: { city: 'not:Paris' } }, false],
  [{ property: { plan: 'exists' } }, true],
  [{ property: { other: 'exists' } }, false],
  [{ property: { other: 'not:x' } }, true],
  [{ property: { city: 'gte:Paris' } }, true],
  [{ property: { city: 'gt:Paris' } }, false],
  [{ property: { age: '9.0' } }, true],
  [{ property: { age: 'lt:10' } }, true],
  [{ property: { age: 'gte:9.5' } }, false],
  [{ property: { age: 'any:8,nine' } }, false],
  [{ property: { age: 'none:8,nine' } }, true],
  [{ property: { member: 'yes' } }, true],
  [{ property: { member: 'not:true' } }, false],
  [{ property: { member: 'gt:false' } }, false],
  [{ property: { member: 'missing' } }, false],
  [{ property: { constructor: 'exists' } }, false],
  [{ changed: ['email'], tag: ['vip'], property: { city: 'London' } }, false],
] as [GivenFilter, boolean][])
  test(`${JSON.stringify(filter)} ${expected ? 'matches' : 'does not match'}`, (t) => {
    t.is(matches(filter), expected);
  });

test('an event without a contact matches no filter, and one without changes none about changes', (t) => {
  t.false(matches({ tag: ['missing'] }, 'IMPORT_ENDED', null));
  t.false(matches({ changed: ['email'] }, 'CONTACT_CREATED', { contact: details.contact }));
  t.true(matches({ tag: ['vip'] }, 'CONTACT_CREATED', { contact: details.contact }));
});

test('what an event lacks matches', (t) => {
  t.true(
    matches({ tag: ['x'], changed: ['name'], status: 'unsubscribed' }, 'CONTACT_UPDATED', null),
  );
  const omitted = { contact: { status: 'subscribed' }, omitted: ['contact.tags', 'changed'] };
  t.true(matches({ tag: ['x'], changed: ['name'] }, 'CONTACT_UPDATED', omitted));
  t.false(matches({ status: 'unsubscribed' }, 'CONTACT_UPDATED', omitted));
});

for (const malformed of [
  { contact: null },
  { contact: { properties: null } },
  { contact: { properties: { city: [5] } } },
  { contact: {}, changed: {} },
  { contact: {}, changed: [1] },
  { contact: {}, omitted: null },
])
  test(`malformed details ${JSON.stringify(malformed)}, which stolen credentials can publish, are compared as lacking`, (t) => {
    t.true(matches({ changed: ['name'] }, 'CONTACT_UPDATED', malformed));
    t.true(matches({ property: { city: 'gt:Paris' } }, 'CONTACT_UPDATED', malformed));
  });

test('an event is delivered to the webhooks whose filter matches, leaves no row for the others, and a changed filter applies to the next', async (t) => {
  const running = await runDispatcher(t);
  const receiver = await receiverFor(t);
  const webhook = running.addWebhook(receiver.url, { filter: { tag: ['none:vip'] } });
  const all = running.addWebhook((await receiverFor(t)).url);
  const first = await running.publish('CONTACT_UPDATED', { details: JSON.stringify(details) });
  await eventually(async () => (await running.delivery(first.id, all))?.status === 'delivered');
  t.is(await running.delivery(first.id, webhook), undefined);
  webhook.filter = { tag: ['vip'], changed: ['email'] };
  running.changed();
  await eventually(async () => {
    await running.publish('CONTACT_UPDATED', { details: JSON.stringify(details) });
    return receiver.hits.length > 0;
  });
});
