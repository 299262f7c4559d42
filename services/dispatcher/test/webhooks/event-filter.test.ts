import { eventually } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { eventFilter, factsOf } from '../../webhooks/event-filter.js';
import type { KnownWebhook } from '../../webhooks/known-webhook.js';
import { Subscribers } from '../../webhooks/workspace-webhooks.js';
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
  const webhook = { filter: eventFilter(webhookFilter.parse(filter)) } as KnownWebhook;
  const subscribers = new Subscribers([webhook]);
  return subscribers.receiving(kind, given ? JSON.stringify(given) : undefined).length === 1;
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
  [{ property: { age: ['gte:9', 'lt:10'] } }, true],
  [{ property: { age: ['gte:9', 'lt:9.0'] } }, false],
  [{ property: { age: ['lt:10', 'gt:9'] } }, false],
  [{ property: { age: ['not:8', 'exists', '9', 'lte:9'] } }, true],
  [{ property: { city: ['gte:P', 'lt:Q'] } }, true],
  [{ property: { city: ['gte:P', 'not:Paris'] } }, false],
  [{ property: { other: ['not:x', 'missing'] } }, true],
  [{ property: { age: ['gte:9'], city: ['London'] } }, false],
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

test('an event reaches those webhooks of many whose filters it matches, as if it passed through each', (t) => {
  const word = fc.constantFrom('a', 'b', '1', '1.0', 'true', 'yes', '2026-01-02');
  const condition = fc.oneof(
    word,
    fc.constantFrom('exists', 'missing', 'any:a,1.0', 'none:b', 'not:yes', 'gt:1', 'lte:b', 'is:a'),
  );
  const name = fc.constantFrom('a', 'b');
  const filter = fc
    .record(
      {
        changed: fc.uniqueArray(fc.constantFrom('name', 'tags', 'properties', 'properties.a'), {
          minLength: 1,
        }),
        tag: fc.array(condition, { minLength: 1, maxLength: 2 }),
        status: fc.constantFrom('subscribed', 'not:subscribed'),
        property: fc.dictionary(
          name,
          fc.oneof(condition, fc.array(condition, { minLength: 1, maxLength: 3 })),
          { minKeys: 1, noNullPrototype: true },
        ),
      },
      { requiredKeys: [] },
    )
    .map((one) => webhookFilter.safeParse(one).data)
    .filter((one) => one !== undefined);
  const value = fc.oneof(word, fc.constantFrom(1, -0, 2.5, true, false));
  const event = fc.record(
    {
      contact: fc.record(
        {
          tags: fc.uniqueArray(word),
          status: fc.constantFrom('subscribed', 'unsubscribed'),
          properties: fc.dictionary(name, value, { noNullPrototype: true }),
        },
        { requiredKeys: [] },
      ),
      previous: fc.record(
        { name: word, tags: fc.constant([]), properties: fc.dictionary(name, fc.constant(null)) },
        { requiredKeys: [] },
      ),
      omitted: fc.constantFrom([], ['changed']),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.option(filter), { maxLength: 30 }), event, (filters, given) => {
      const webhooks = filters.map((one) => ({ filter: one && eventFilter(one) }) as KnownWebhook);
      const text = JSON.stringify(given);
      const facts = factsOf('CONTACT_UPDATED', text)!;
      const matching = webhooks.filter((one) => one.filter?.matches(facts) ?? true);
      const found = new Subscribers(webhooks).receiving('CONTACT_UPDATED', text);
      return found.length === matching.length && matching.every((one) => found.includes(one));
    }),
    { numRuns: 1000 },
  );
  t.pass();
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
