import { auditActions, encodeId, type OperationName } from '@roster/contracts';

/** A field with a value, or without one if it is undefined; the message about it, and its pointer unless it is that of the field. */
export type WrongField = [field: string, value: unknown, message: string, pointer?: string];

const contactId = encodeId('contact', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01');
const xs = (length: number) => 'x'.repeat(length);
const texts = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);
const properties = (count: number, value = 'x') =>
  Object.fromEntries(texts(count).map((name) => [name, value]));

const anEmail =
  'must be an email address of at most 254 bytes, with at most 64 characters before the @ and a domain name after it';
const aTime = 'must have a time and a zone, as in 2026-01-31T09:00:00Z';
const aUrl = 'must be an http or https URL without credentials or fragment';
const aHost =
  'must have an IP address as its host, or a name of at most 253 characters, whose labels are 1 to 63 letters, digits, hyphens or underscores and neither begin nor end with a hyphen';
const aToken = 'must be 8 to 256 printable ASCII characters without spaces';
const anOrigin =
  'must be an origin such as https://app.example.com, without a path or a final slash; http is allowed for loopback only';
const aKind =
  'must be one of CONTACT_CREATED, CONTACT_UPDATED, CONTACT_UNSUBSCRIBED, CONTACT_RESUBSCRIBED, CONTACT_DELETED, WORKSPACE_TEAM_MEMBER_JOINED, IMPORT_ENDED';

/** Wrong inputs of operations: one field each is added to an input that is valid, or replaced. */
export const wrongInputs: Partial<Record<OperationName, WrongField[]>> = {
  'contacts.list': [
    ['limit', 0, 'must be at least 1'],
    ['limit', 1.5, 'must be a whole number'],
    ['limit', 'ten', 'must be a number, not a string'],
    ['offset', -1, 'must be at least 0'],
    ['offset', 0.5, 'must be a whole number'],
    ['offset', '1', 'must be a number, not a string'],
    ['after', xs(521), 'must have at most 520 characters'],
    ['after', 7, 'must be a string, not a number'],
    ['page', 2, 'is not a known field'],
  ],
  'contacts.create': [
    ['email', undefined, 'is required'],
    ['email', 7, 'must be a string, not a number'],
    ['email', null, 'must be a string, not null'],
    ['email', '', anEmail],
    ['email', ' ada@example.com', anEmail],
    ['email', 'ada', anEmail],
    ['email', 'ada@localhost', anEmail],
    ['email', 'a..b@example.com', anEmail],
    ['email', xs(65) + '@example.com', anEmail],
    ['name', null, 'must be a string, not null'],
    ['name', xs(257), 'must be at most 256 characters long'],
    ['name', 'a\0', 'must be well-formed Unicode without the character U+0000'],
    ['name', '\ud800', 'must be well-formed Unicode without the character U+0000'],
    ['name', { first: 'Ada' }, 'must be a string, not an object'],
    ['tags', 'vip', 'must be an array, not a string'],
    ['tags', null, 'must be an array, not null'],
    ['tags', [''], 'must be 1 to 64 characters long', '/tags/0'],
    ['tags', [7], 'must be a string, not a number', '/tags/0'],
    ['tags', [xs(65)], 'must be 1 to 64 characters long', '/tags/0'],
    ['tags', texts(101), 'must have at most 100 entries'],
    ['properties', [], 'must be an object, not an array'],
    ['properties', 'city', 'must be an object, not a string'],
    ['properties', { city: 7 }, 'must be a string, not a number', '/properties/city'],
    ['properties', { city: null }, 'must be a string, not null', '/properties/city'],
    [
      'properties',
      { '1st': 'x' },
      'must be a letter followed by up to 63 letters, digits or underscores',
      '/properties/1st',
    ],
    ['properties', { city: xs(4097) }, 'must be at most 4096 characters long', '/properties/city'],
    ['properties', properties(101), 'must have at most 100 entries'],
    ['properties', properties(20, xs(4000)), 'must be at most 10000 bytes of JSON, not 80171'],
    ['status', 'paused', 'must be one of subscribed, unsubscribed'],
    ['status', true, 'must be one of subscribed, unsubscribed'],
    ['age', 7, 'is not a known field'],
    ['id', contactId, 'is not a known field'],
  ],
  'contacts.update': [
    ['email', 'ada', anEmail],
    ['name', 7, 'must be a string, not a number'],
    ['tags', {}, 'must be an array, not an object'],
    ['properties', { city: true }, 'must be a string, not a boolean', '/properties/city'],
    ['properties', properties(101), 'must have at most 100 entries'],
    ['id', 'x', 'must be an ID with the prefix cont_'],
    ['createdAt', 'yesterday', aTime],
    ['status', 'gone', 'must be one of subscribed, unsubscribed'],
    ['address', 'x', 'is not a known field'],
  ],
  'contacts.upsert': [
    ['email', 'x', anEmail],
    ['name', [], 'must be a string, not an array'],
    ['tags', [null], 'must be a string, not null', '/tags/0'],
    ['properties', 7, 'must be an object, not a number'],
    ['id', 'usr_1', 'must be an ID with the prefix cont_'],
    ['createdAt', 7, 'must be a string, not a number'],
    ['createdAt', null, 'must be a string, not null'],
    ['status', '', 'must be one of subscribed, unsubscribed'],
  ],
  'contact-properties.list': [
    ['limit', 0, 'must be at least 1'],
    ['after', xs(65), 'must have at most 64 characters'],
  ],
  'contact-properties.create': [
    ['name', undefined, 'is required'],
    ['name', 'first name', 'must be a letter followed by up to 63 letters, digits or underscores'],
    ['name', 7, 'must be a string, not a number'],
    ['label', undefined, 'is required'],
    ['label', '', 'must be 1 to 128 characters long'],
    ['label', xs(129), 'must be 1 to 128 characters long'],
    ['label', 'a\0', 'must be well-formed Unicode without the character U+0000'],
    ['type', 'number', 'must be "string"'],
    ['description', 7, 'must be a string, not a number'],
    ['description', xs(1025), 'must be at most 1024 characters long'],
  ],
  'contact-properties.update': [
    ['label', '', 'must be 1 to 128 characters long'],
    ['label', null, 'must be a string, not null'],
    ['description', [], 'must be a string, not an array'],
    ['name', 'x', 'is not a known field'],
    ['type', 'string', 'is not a known field'],
  ],
  'users.create': [
    ['email', undefined, 'is required'],
    ['email', 'ada@', anEmail],
    ['name', undefined, 'is required'],
    ['name', '', 'must be 1 to 256 characters long'],
    ['name', xs(257), 'must be 1 to 256 characters long'],
    ['role', 'admin', 'is not a known field'],
  ],
  'settings.update': [
    ['strictProperties', 'yes', 'must be a boolean, not a string'],
    ['strict', true, 'is not a known field'],
  ],
  'users.update-me': [
    ['name', '', 'must be 1 to 256 characters long'],
    ['name', 7, 'must be a string, not a number'],
    ['email', 'x@y.zz', 'is not a known field'],
  ],
  'imports.list': [
    ['limit', 0, 'must be at least 1'],
    ['after', 7, 'must be a string, not a number'],
  ],
  'api-keys.list': [
    ['limit', 0, 'must be at least 1'],
    ['after', 7, 'must be a string, not a number'],
  ],
  'api-keys.create': [
    ['name', undefined, 'is required'],
    ['name', '', 'must be 1 to 128 characters long'],
    ['scopes', undefined, 'is required'],
    ['scopes', [], 'must have at least 1 entry'],
    ['scopes', 'user', 'must be an array, not a string'],
    ['scopes', ['admin'], 'must be one of api_user, user', '/scopes/0'],
    ['scopes', ['user', 'user', 'user'], 'must have at most 2 entries'],
    ['expiresAt', '2027-01-31', aTime],
    ['expiresAt', 1800000000, 'must be a string, not a number'],
    ['expiresAt', '0000-01-31T09:00:00Z', 'must be in the years 0001 to 9999 in UTC'],
    ['userId', 'me', 'must be an ID with the prefix usr_'],
    ['userId', 7, 'must be a string, not a number'],
    ['secret', 'x', 'is not a known field'],
  ],
  'api-keys.rotate': [
    ['overlapSeconds', -1, 'must be at least 0'],
    ['overlapSeconds', 604801, 'must be at most 604800'],
    ['overlapSeconds', '60', 'must be a number, not a string'],
    ['overlapSeconds', null, 'must be a number, not null'],
  ],
  'tokens.create': [
    ['scopes', [], 'must have at least 1 entry'],
    ['scopes', ['read'], 'must be one of api_user, user', '/scopes/0'],
    ['scopes', {}, 'must be an array, not an object'],
    ['readOnly', 'yes', 'must be a boolean, not a string'],
    ['readOnly', 1, 'must be a boolean, not a number'],
    ['operations', [], 'must have at least 1 entry'],
    ['operations', [''], 'must be the name of an operation', '/operations/0'],
    ['operations', texts(21), 'must have at most 20 entries'],
    ['operations', [xs(65)], 'must have at most 64 characters', '/operations/0'],
    ['operations', ['contacts list'], 'must be the name of an operation', '/operations/0'],
    ['expiresInSeconds', 59, 'must be at least 60'],
    ['expiresInSeconds', 3601, 'must be at most 3600'],
    ['expiresInSeconds', 90.5, 'must be a whole number'],
    ['expiresInSeconds', '900', 'must be a number, not a string'],
  ],
  'audit-log.list': [
    ['limit', 0, 'must be at least 1'],
    ['after', xs(65), 'must have at most 64 characters'],
    ['action', 'user.renamed', `must be one of ${auditActions.join(', ')}`],
    ['actor', 'me', 'must be an ID with the prefix usr_'],
    ['since', '2026-01-31T09:00:00', aTime],
  ],
  'workspaces.set-origins': [
    ['origins', undefined, 'is required'],
    ['origins', 'https://app.example.com', 'must be an array, not a string'],
    ['origins', ['app.example.com'], anOrigin, '/origins/0'],
    ['origins', ['https://app.example.com/'], anOrigin, '/origins/0'],
    ['origins', ['*'], anOrigin, '/origins/0'],
    ['origins', ['https://a..b'], anOrigin, '/origins/0'],
    ['origins', ['http://app.example.com'], anOrigin, '/origins/0'],
    ['origins', texts(51), 'must have at most 50 entries'],
  ],
  'webhooks.create': [
    ['url', undefined, 'is required'],
    ['url', 'example.com', aUrl],
    ['url', 'ftp://example.com', aUrl],
    ['url', 'https://a:b@example.com', aUrl],
    ['url', 'https://example.com/#x', aUrl],
    ['url', 'https://a..b/', aHost],
    ['url', 'https://-.com/', aHost],
    ['url', 'https://example.com/' + xs(2048), 'must be 1 to 2048 characters long'],
    ['url', 7, 'must be a string, not a number'],
    ['events', undefined, 'is required'],
    ['events', [], 'must have at least 1 entry'],
    ['events', 'CONTACT_CREATED', 'must be an array, not a string'],
    ['events', ['X'], aKind, '/events/0'],
    ['events', ['CONTACT_CREATED', 'CONTACT_CREATED'], 'must not contain duplicates'],
    ['token', 'short', aToken],
    ['token', xs(257), aToken],
    ['token', 'with space', aToken],
    ['secret', 'x', 'is not a known field'],
  ],
  'webhooks.update': [
    ['url', '', 'must be 1 to 2048 characters long'],
    ['events', [null], aKind, '/events/0'],
    ['token', 'long enough', 'is not a known field'],
  ],
  'webhooks.rotate-token': [
    ['token', 'short', aToken],
    ['overlapSeconds', 1.5, 'must be a whole number'],
  ],
  'webhooks.test': [
    ['kind', 'X', aKind],
    ['kind', 7, aKind],
  ],
  'deliveries.list': [
    ['status', 'failed', 'must be one of pending, delivered, dead, skipped'],
    ['kind', 'X', aKind],
    ['since', 'yesterday', aTime],
    ['until', '2026-02-30T09:00:00Z', aTime],
    ['limit', 0, 'must be at least 1'],
    ['after', xs(65), 'must have at most 64 characters'],
    ['before', xs(65), 'must have at most 64 characters'],
    ['from', 'first', 'must be one of newest, oldest'],
  ],
  'replays.create': [
    ['since', undefined, 'is required'],
    ['since', '2026-01-31', aTime],
    ['until', 'tomorrow', aTime],
    ['status', 'lost', 'must be one of pending, delivered, dead, skipped'],
    ['kinds', [], 'must have at least 1 entry'],
    ['kinds', 'X', 'must be an array, not a string'],
    ['kinds', ['X'], aKind, '/kinds/0'],
    ['dryRun', 'yes', 'must be a boolean, not a string'],
  ],
};
