import { Fault, operations, type OperationName } from '@roster/contracts';
import test from 'ava';
import { checkInput } from '../../operations/check-input.js';

const webhookId = 'wh_01h455vb4pex5vsknk084sn02q';
const url = 'https://example.com';

/** Inputs with one wrong field, and the message about it. */
const sentences: [OperationName, Record<string, unknown>, string][] = [
  ['contacts.create', {}, 'is required'],
  ['contacts.create', { email: 'a@b.co', name: null }, 'must be a string, not null'],
  ['contacts.create', { email: 'a@b.co', tags: 'x' }, 'must be an array, not string'],
  ['webhooks.create', { url, events: 'CONTACT_CREATED' }, 'must be an array, not string'],
  ['api-keys.create', { name: 'A', scopes: 'user' }, 'must be an array, not string'],
  ['contacts.create', { email: 'a@b.co', properties: [] }, 'must be an object, not array'],
  ['contacts.create', { email: 'a@b.co', age: 7 }, 'is not a known field'],
  [
    'contacts.create',
    { email: 'a@b.co', tags: Array.from({ length: 101 }, (_, n) => `t${n}`) },
    'must have at most 100 entries',
  ],
  ['contacts.list', { limit: 0 }, 'must be at least 1'],
  ['contact-properties.create', { name: 'a', label: 'A', type: 'number' }, 'must be "string"'],
  ['webhooks.create', { url, events: [] }, 'must have at least 1 entry'],
  [
    'webhooks.create',
    { url, events: ['X'] },
    'must be one of CONTACT_CREATED, CONTACT_UPDATED, CONTACT_UNSUBSCRIBED, CONTACT_RESUBSCRIBED, CONTACT_DELETED, WORKSPACE_TEAM_MEMBER_JOINED',
  ],
  ['webhooks.rotate-token', { webhookId, overlapSeconds: 604_801 }, 'must be at most 604800'],
  ['webhooks.rotate-token', { webhookId, overlapSeconds: 1.5 }, 'must be an integer, not number'],
  ['deliveries.list', { webhookId, after: 'x'.repeat(65) }, 'must have at most 64 characters'],
  [
    'replays.create',
    { webhookId, since: '2026-01-31' },
    'must have a time and a zone, as in 2026-01-31T09:00:00Z',
  ],
  [
    'replays.create',
    { webhookId, since: '2026-01-31T09:00:00Z', dryRun: 'yes' },
    'must be a boolean, not string',
  ],
];

for (const [name, input, message] of sentences) {
  test(`${name} of ${JSON.stringify(input).slice(0, 80)}: ${message}`, (t) => {
    const error = t.throws<Fault>(() => checkInput(operations[name], input, []), {
      instanceOf: Fault,
    });
    t.deepEqual(
      error.details.errors?.map((one) => one.message),
      [message],
    );
  });
}
