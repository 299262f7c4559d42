import fc from 'fast-check';
import { encodeId, type OperationName, type Scope } from '@roster/contracts';
import type { WorkspaceModel } from './workspace-model.js';
import type { Request } from './workspace-state.js';

/** A request whose IDs and cursors are chosen when it is sent, by index. */
export interface Template {
  operation: OperationName;
  user: number;
  idempotencyKey: string | undefined;
  kind?: keyof WorkspaceModel['ids'];
  index: number;
  /** Names a contact in place of an ID. */
  reference?: string | undefined;
  body?: Record<string, unknown>;
  limit?: number;
  /** Conditions on a property. */
  property?: string[] | undefined;
}

export function requestOf(
  { kind, index, reference, limit, body, property, ...request }: Template,
  { ids }: WorkspaceModel,
): Request {
  const idAt = (of: keyof typeof ids, at: number) => ids[of][at % (ids[of].length + 1)];
  // One index more than there are IDs stands for an unknown one.
  const unknown = (of: keyof typeof ids) => encodeId(of, '00000000-0000-7000-8000-000000000000');
  const chosen = kind && idAt(kind, index);
  const id = reference ?? (kind && (chosen ?? unknown(kind)));
  const operations = (body?.['operations'] as { id?: string | number }[] | undefined)?.map(
    (operation) =>
      typeof operation.id === 'number'
        ? { ...operation, id: idAt('contact', operation.id) ?? unknown('contact') }
        : operation,
  );
  const given = {
    ...request,
    id,
    ...(body && { body: { ...body, ...(operations && { operations }) } }),
  };
  if (limit === undefined) return given;
  return {
    ...given,
    query: {
      limit,
      ...(chosen && { after: chosen.slice(chosen.indexOf('_') + 1) }),
      ...(property && { property }),
    },
  };
}

export const email = fc
  .constantFrom('ada', 'Ada', 'bob', 'eve', 'joe', 'JOE')
  .map((name) => `${name}@example.com`);
const name = fc.constantFrom('', 'Ada', 'Ünï "quoted"');
const tags = fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 });
const propertyName = fc.constantFrom('city', 'plan', 'constructor');
const dates = ['2026-01-31', '2026-02-01'];
const value = fc.oneof(
  fc.constantFrom('x', '', 'Λ'),
  fc.constantFrom('12', ' 1.50 ', '1', 'No', ...dates),
  fc.constantFrom<(number | boolean)[]>(0.1, 1, 12, -1e-7, true, false),
);
const type = fc.constantFrom('string', 'number', 'boolean', 'date');
/** Conditions on one property, of which the values may be of another type. */
const conditions = fc
  .tuple(
    propertyName,
    fc.oneof(
      fc.constantFrom('x', '12', '1.5', 'true', dates[0], 'exists', 'missing').map((one) => [one]),
      fc
        .tuple(fc.constantFrom('not:', 'any:'), fc.constantFrom('1', 'yes', 'x', dates[1]))
        .map(([kind, text]) => [kind === 'any:' ? `${kind}${text},0` : `${kind}${text}`]),
      fc
        .uniqueArray(fc.constantFrom('gt:', 'gte:', 'lt:', 'lte:'), { minLength: 1, maxLength: 2 })
        .chain((kinds) =>
          fc
            .constantFrom(['0.1', '12'], ['x', 'Λ'], dates)
            .map((ends) => kinds.map((kind, at) => `${kind}${ends[at]}`)),
        ),
    ),
  )
  .map(([name, texts]) => texts.map((text) => `${name}:${text}`));
const status = fc.constantFrom('subscribed', 'unsubscribed');
/** The last one must be encoded in a path. */
const externalId = fc.constantFrom('x', 'X', 'a/b c');
export const properties = fc.dictionary(propertyName, value, { noNullPrototype: true, maxKeys: 2 });
const contactBody = { name, externalId, tags, properties };
const reference = fc.oneof(
  email.map((address) => `email:${address}`),
  externalId.map((own) => `externalId:${own}`),
);
const sometimesReference = fc.option(reference, { nil: undefined, freq: 2 });
/** Sometimes subscribes whom the request does not unsubscribe. */
const resubscribing = <Body extends object>(body: fc.Arbitrary<Body>) =>
  fc
    .tuple(body, fc.integer({ min: 0, max: 4 }))
    .map(([given, n]): Body & { resubscribe?: true } =>
      n > 0 || ('status' in given && given.status === 'unsubscribed')
        ? given
        : { ...given, resubscribe: true },
    );
/** All tags, or changes of single ones. */
const tagChanges = fc.oneof(
  fc.record({ tags }, { requiredKeys: [] }),
  fc.record({ addTags: tags, removeTags: tags }).map(({ addTags, removeTags }) => ({
    addTags,
    removeTags: removeTags.filter((tag) => !addTags.includes(tag)),
  })),
);
const changes = fc.record(
  {
    name,
    status,
    externalId: fc.option(externalId),
    properties: fc.dictionary(propertyName, fc.option(value), {
      noNullPrototype: true,
      maxKeys: 2,
    }),
  },
  { requiredKeys: [] },
);
const create = resubscribing(
  fc.record({ email, ...contactBody, status }, { requiredKeys: ['email'] }),
);
const update = resubscribing(
  fc
    .tuple(changes, tagChanges, fc.record({ email }, { requiredKeys: [] }))
    .map(([...all]) => Object.assign({}, ...all) as { status?: string })
    .filter((body) => Object.keys(body).length > 0),
);
/** Names the contact by its address, by its external ID, or by both. */
const upsert = resubscribing(
  fc.tuple(changes, tagChanges, email, fc.nat(3)).map(([fields, ofTags, address, n]) => ({
    ...fields,
    ...ofTags,
    ...((n > 0 || typeof fields.externalId !== 'string') && { email: address }),
  })),
);
const fields = fc.record({ name, status, externalId: fc.option(externalId) }, { requiredKeys: [] });
const id = fc.oneof(fc.nat(9), reference, reference);
const operation = fc.oneof(
  fc
    .tuple(fields, email, fc.record({ properties }, { requiredKeys: [] }))
    .map((parts) => ({ action: 'create', ...parts[0], email: parts[1], ...parts[2] })),
  upsert.map((given) => ({ action: 'upsert', ...given })),
  resubscribing(
    fc.tuple(changes, id).map(([given, of]) => ({ action: 'update', ...given, id: of })),
  ),
  id.map((of) => ({ action: 'delete', id: of })),
);
const batch = fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 4 }) });
const token = fc.constantFrom('first-token', 'second-token');
const events = fc.constant(['WORKSPACE_TEAM_MEMBER_JOINED']);
const label = fc.constantFrom('City', 'Plan');
const keyName = fc.constantFrom('CI', 'Backend');
const scopes = fc.constantFrom<Scope[][]>(['api_user'], ['user'], ['api_user', 'user']);
/** An overlap does not end within a run. */
const overlapSeconds = fc.constantFrom(0, 86_400);

const of = (kind: Template['kind'], body: fc.Arbitrary<object> = fc.constant({})) => ({
  kind,
  body,
});
type Templates = [
  number,
  OperationName,
  { kind?: Template['kind']; body?: fc.Arbitrary<object>; limit?: true; filter?: true },
][];
const templates = (url: fc.Arbitrary<string>): Templates => [
  [8, 'contacts.create', { body: create }],
  [6, 'contacts.upsert', { body: upsert }],
  [3, 'contacts.batch', { body: batch }],
  [3, 'contacts.get', { kind: 'contact' }],
  [6, 'contacts.update', of('contact', update)],
  [4, 'contacts.delete', { kind: 'contact' }],
  [2, 'contacts.unsubscribe', of('contact')],
  [2, 'contacts.resubscribe', of('contact')],
  [4, 'contacts.list', { kind: 'contact', limit: true }],
  [6, 'contacts.list', { kind: 'contact', limit: true, filter: true }],
  [
    6,
    'contact-properties.create',
    {
      body: fc.record({ name: propertyName, label, type }, { requiredKeys: ['name', 'label'] }),
    },
  ],
  [
    6,
    'contact-properties.update',
    of(
      'contactProperty',
      fc.record({ label, type, dryRun: fc.constant(true) }, { requiredKeys: [] }),
    ),
  ],
  [2, 'contact-properties.delete', { kind: 'contactProperty' }],
  [2, 'contact-properties.list', {}],
  [
    3,
    'webhooks.create',
    { body: fc.record({ url, events, token }, { requiredKeys: ['url', 'events'] }) },
  ],
  [2, 'webhooks.get', { kind: 'webhook' }],
  [2, 'webhooks.update', of('webhook', fc.record({ url }))],
  [2, 'webhooks.enable', of('webhook')],
  [2, 'webhooks.disable', of('webhook')],
  [2, 'webhooks.rotate-token', of('webhook', fc.record({ token }, { requiredKeys: [] }))],
  [2, 'webhooks.delete', { kind: 'webhook' }],
  [2, 'webhooks.list', {}],
  [3, 'api-keys.create', { body: fc.record({ name: keyName, scopes }) }],
  [1, 'api-keys.get', { kind: 'key' }],
  [3, 'api-keys.rotate', of('key', fc.record({ overlapSeconds }))],
  [1, 'api-keys.delete', { kind: 'key' }],
  [1, 'api-keys.list', { kind: 'key', limit: true }],
];

/** Any request. */
export const anyTemplate = (url: fc.Arbitrary<string>) =>
  fc.oneof(
    ...templates(url).map(([weight, operation, { kind, body, limit, filter }]) => ({
      weight,
      arbitrary: fc
        .record({
          operation: fc.constant(operation),
          user: fc.nat(1),
          idempotencyKey: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined, freq: 3 }),
          index: fc.nat(9),
          ...(kind === 'contact' && !limit && { reference: sometimesReference }),
          ...(kind && { kind: fc.constant(kind) }),
          ...(body && { body }),
          ...(limit && { limit: fc.integer({ min: 1, max: 3 }) }),
          ...(filter && { property: conditions }),
        })
        .map((fields) => fields as Template),
    })),
  );
