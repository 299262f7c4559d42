import { HeaderMap } from '@apollo/server';
import { Fault, operations, type Operation } from '@roster/contracts';
import type { Log } from '@roster/service';
import test from 'ava';
import { createHash } from 'node:crypto';
import {
  contactId,
  createdAt,
  deliveryId,
  propertyId,
  replayId,
  userId,
  webhookId,
} from '../stub-services.js';
import { bearer, gatewayFor, testGateway, type TestGateway } from '../test-gateway.js';
import { buildRosterSchema } from '../../graphql/build-schema.js';
import { DocumentChecker } from '../../graphql/document/document-checker.js';
import { openApollo } from '../../graphql/http/open-apollo.js';
import { askGraphql, codesOf, type GraphqlError } from './ask-graphql.js';
import { documentOf, findField, howToShow } from './field-of-operation.js';

let gateway: TestGateway;
test.before(async () => void (gateway = await testGateway()));
test.after.always(() => gateway.close());

const ask = (
  query: string,
  variables?: Record<string, unknown>,
  headers?: Record<string, string>,
) => askGraphql(gateway, query, variables, headers);

const schema = buildRosterSchema();

for (const operation of Object.values(operations) as Operation[]) {
  const { name, http, scope } = operation;
  if (!http) continue;
  test(`${name} can be asked over GraphQL, with the scope ${scope} and no other`, async (t) => {
    t.truthy(findField(schema, operation), howToShow(operation));
    const { query, variables } = documentOf(schema, operation);
    const [allowed, refused] = [scope!, scope === 'user' ? 'api_user' : 'user'] as const;
    const key = gateway.stubs.makeKey({ scopes: [allowed] });
    const headers = { ...bearer(key.apiKey), 'x-request-id': `ok-${name}` };
    const answer = await ask(query, variables, headers);
    t.is(answer.errors, undefined, answer.text);
    const asked = gateway.stubs.askedBy(`ok-${name}`);
    const shown = asked.find((one) => one === name || standsFor(one, operation))!;
    t.truthy(shown, `gateway/graphql: the field of ${name} asked ${asked.join(' and ')}`);
    const call = gateway.stubs.calls(shown).find(({ requestId }) => requestId === `ok-${name}`)!;
    const { keyId, workspaceId } = key;
    t.deepEqual(call.caller, { keyId, workspaceId, userId, scopes: [allowed] });
    const other = gateway.stubs.makeKey({ scopes: [refused] });
    const without = await ask(query, variables, { ...bearer(other.apiKey), 'x-request-id': 'no' });
    t.deepEqual(codesOf(without), ['insufficient_scope']);
    t.is(without.errors![0]!.extensions.requestId, 'no');
  });
}

/** A list is asked by an operation that REST does not show, with the same noun: connections need what pages have not. */
function standsFor(name: string, list: Operation): boolean {
  const { http, scope } = (operations as Record<string, Operation>)[name]!;
  const sameNoun = name.split('.')[0] === list.name.split('.')[0];
  return !http && sameNoun && scope === list.scope;
}

test('what lists leave out is looked up where it is selected', async (t) => {
  const { errors, data } = await ask(
    `{ webhook(id: "${webhookId}") { token stats { hours { hour attempts p95Ms } } }
       delivery(id: "${deliveryId}") { payload attempts { number statusCode } } }`,
  );
  t.is(errors, undefined);
  t.deepEqual(data, {
    webhook: { token: 'wht_secret', stats: { hours: [] } },
    delivery: { payload: { event: 'CONTACT_CREATED' }, attempts: [] },
  });
});

test('what is not there is null, whether unknown or no id at all', async (t) => {
  gateway.stubs.answer('contacts.get', ({ input }) =>
    (input as { contactId: string }).contactId === contactId
      ? undefined
      : new Fault('not_found', 'No.'),
  );
  const unknown = contactId.replace('cont_01', 'cont_02');
  const { data, errors } = await ask(
    `{ a: contact(id: "${unknown}") { id } b: contact(id: "junk") { id } c: webhook(id: "wh_1") { id }
       d: node(id: "${unknown}") { id } e: node(id: "what_1") { id } f: node(id: "") { id }
       nodes(ids: ["${contactId}", "${unknown}", "usr_1"]) { __typename id } }`,
  );
  t.is(errors, undefined);
  t.deepEqual(data, {
    a: null,
    b: null,
    c: null,
    d: null,
    e: null,
    f: null,
    nodes: [{ __typename: 'Contact', id: contactId }, null, null],
  });
});

test('node finds every type by the prefix of its id', async (t) => {
  const types = {
    [contactId]: 'Contact',
    [propertyId]: 'ContactProperty',
    [userId]: 'User',
    [webhookId]: 'Webhook',
    [deliveryId]: 'Delivery',
    [replayId]: 'Replay',
  };
  for (const [id, type] of Object.entries(types)) {
    const { data } = await ask(`query ($id: ID!) { node(id: $id) { __typename id } }`, { id });
    t.deepEqual(data, { node: { __typename: type, id } });
  }
});

test('a wrong input is refused with the code and the pointers REST gives, and asks nobody', async (t) => {
  const input = {
    email: 'x',
    name: 'n'.repeat(257),
    tags: [''],
    properties: { 'no name': 'v', n: 1 },
  };
  const { status, errors, data } = await ask(
    'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }',
    { input },
    { 'x-request-id': 'wrong-input' },
  );
  t.is(status, 200, 'the operation was executed');
  t.is(data, null);
  const rest = (await (await gateway.post('/v1/contacts', input)).json()) as {
    errors: unknown;
    detail: string;
  };
  t.deepEqual(errors![0]!.extensions.errors, rest.errors as []);
  t.is(errors![0]!.message, rest.detail);
  t.deepEqual(codesOf({ errors: errors! }), ['invalid']);
  t.deepEqual(errors![0]!.path, ['createContact']);
  t.false(
    gateway.stubs.calls('contacts.create').some(({ requestId }) => requestId === 'wrong-input'),
  );
});

test('names that could poison an object are refused, in variables and in literals', async (t) => {
  const variables = JSON.parse(
    '{"input": {"email": "a@example.com", "properties": {"__proto__": "x"}}}',
  ) as {
    input: object;
  };
  const { errors } = await ask(
    'mutation ($input: CreateContactInput!) { createContact(input: $input) { contact { id } } }',
    variables,
  );
  t.deepEqual(
    errors![0]!.extensions.errors?.map(({ pointer }) => pointer),
    ['/properties/__proto__'],
  );
});

test("a service's fault carries what the caller may know, and leaves the rest of the answer whole", async (t) => {
  gateway.stubs.answer('users.me', ({ requestId }) =>
    requestId === 'partial'
      ? new Fault('unavailable', 'Not now.', { retryAfterSeconds: 1, reason: 'secret' })
      : undefined,
  );
  const { status, data, errors, text } = await ask(
    '{ me { id } contactProperties { name } }',
    {},
    { 'x-request-id': 'partial' },
  );
  t.is(status, 200);
  t.deepEqual(data, { me: null, contactProperties: [{ name: 'city' }] });
  t.deepEqual(errors![0]!.extensions, {
    code: 'unavailable',
    retryAfterSeconds: 1,
    requestId: 'partial',
  } as never);
  t.notRegex(text, /secret/);
  gateway.stubs.answer('contacts.create', ({ requestId }) =>
    requestId === 'conflict'
      ? new Fault('conflict', 'There is one.', { existingId: contactId })
      : undefined,
  );
  const conflict = await ask(
    'mutation { createContact(input: {email: "ada@example.com"}) { contact { id } } }',
    {},
    { 'x-request-id': 'conflict' },
  );
  t.like(conflict.errors![0]!.extensions, { code: 'conflict', existingId: contactId });
});

test('an unexpected failure says internal and the request id, and leaks nothing', async (t) => {
  gateway.stubs.answer('webhooks.list', ({ requestId }) => {
    // A result no webhook has: the gateway itself stumbles over it.
    if (requestId === 'broken') return { webhooks: [{ id: null, secret: 'hunter2' }] };
    return undefined;
  });
  const { text, errors } = await ask('{ webhooks { id url } }', {}, { 'x-request-id': 'broken' });
  for (const { message, extensions } of errors!) {
    t.is(message, 'An internal error occurred.');
    t.deepEqual(extensions, { code: 'internal', requestId: 'broken' });
  }
  t.notRegex(text, /stack|hunter2|node_modules|non-null/i);
});

test('refusals of the request itself have the status and headers of REST, and a GraphQL body', async (t) => {
  const body = { query: '{ me { id } }' };
  const post = (init: RequestInit) => gateway.send('/graphql', { method: 'POST', ...init });
  const json = { 'content-type': 'application/json' };
  const cases: [Promise<Response>, number, string][] = [
    [
      fetch(`${gateway.url}/graphql`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: json,
      }),
      401,
      'unauthenticated',
    ],
    [post({ body: '{', headers: json }), 400, 'invalid_json'],
    [post({ body: '7', headers: json }), 400, 'invalid_json'],
    [post({ headers: json }), 400, 'invalid_json'],
    [
      post({ body: JSON.stringify(body), headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    ],
    [post({ body: ' '.repeat(1024 * 1024 + 1), headers: json }), 413, 'payload_too_large'],
    [
      post({ body: JSON.stringify(body), headers: { ...json, 'idempotency-key': 'ä' } }),
      422,
      'invalid',
    ],
    [
      post({ body: JSON.stringify(Array.from({ length: 11 }, () => body)), headers: json }),
      400,
      'too_many_operations',
    ],
  ];
  for (const [asked, status, code] of cases) {
    const response = await asked;
    t.is(response.status, status, code);
    const { errors } = (await response.json()) as { errors: { extensions: object }[] };
    t.like(errors[0]!.extensions, { code, requestId: response.headers.get('x-request-id') });
  }
  const unauthenticated = await fetch(`${gateway.url}/graphql?query={me{id}}`);
  t.regex(unauthenticated.headers.get('www-authenticate')!, /^Bearer realm="Roster"/);
});

test('a request that is malformed says BAD_REQUEST and the request id, and is not logged as an error', async (t) => {
  const query = '{ me { id } }';
  const persisted = (version: number, sha256Hash: unknown) => ({
    query,
    extensions: { persistedQuery: { version, sha256Hash } },
  });
  const logged: object[] = [];
  const ignored = () => undefined;
  const error = (fields: object) => void logged.push(fields);
  const log = { debug: ignored, info: ignored, warn: ignored, error } as unknown as Log;
  const apollo = await openApollo({
    schema,
    checker: new DocumentChecker(schema, { introspection: true }),
    log,
    introspection: true,
  });
  t.teardown(() => apollo.stop());
  for (const body of [
    [],
    [7],
    [{ query: 5 }],
    {},
    { query: 5 },
    { query, variables: 5 },
    { query, extensions: 5 },
    persisted(1, 'a'.repeat(64)),
    persisted(1, 5),
    persisted(2, createHash('sha256').update(query).digest('hex')),
  ]) {
    const shown = JSON.stringify(body);
    const headers = { 'x-request-id': 'malformed' };
    const response = await gateway.post('/graphql', body, headers);
    t.is(response.status, 400, shown);
    const { errors } = (await response.json()) as { errors: GraphqlError[] };
    t.deepEqual(
      errors.map(({ extensions }) => extensions),
      [{ code: 'BAD_REQUEST', requestId: 'malformed' }],
      shown,
    );
    await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: 'POST',
        headers: new HeaderMap([['content-type', 'application/json']]),
        search: '',
        body,
      },
      context: async () => ({ requestId: 'malformed' }) as never,
    });
  }
  t.deepEqual(logged, []);
});

test('a batch of ten operations is answered in order', async (t) => {
  const operation = (name: string) => ({ query: `{ ${name}: me { id } }` });
  const names = Array.from({ length: 10 }, (_, index) => `m${index}`);
  const response = await gateway.post('/graphql', names.map(operation));
  t.is(response.status, 200);
  const answers = (await response.json()) as { data: Record<string, object> }[];
  t.deepEqual(
    answers.map(({ data }) => Object.keys(data)[0]),
    names,
  );
});

test('each field of a mutation has an Idempotency-Key of its own; queries have none', async (t) => {
  const headers = { 'idempotency-key': 'import-7', 'x-request-id': 'idempotent' };
  const create = (alias: string) =>
    `${alias}: createUser(input: {email: "a@example.com", name: "A"}) { user { id } }`;
  await ask(`mutation { ${create('a')} ${create('b')} }`, {}, headers);
  await ask('{ webhooks { id } }', {}, headers);
  const keysOf = (operation: string) =>
    gateway.stubs
      .calls(operation)
      .filter(({ requestId }) => requestId === 'idempotent')
      .map(({ idempotencyKey }) => idempotencyKey);
  t.deepEqual(keysOf('users.create'), ['import-7/a', 'import-7/b']);
  t.deepEqual(keysOf('webhooks.list'), [undefined]);
  const batch = await gateway.post('/graphql', [{ query: '{ me { id } }' }], headers);
  t.is(batch.status, 422);
});

test('an Idempotency-Key and the name of the field have 255 characters together at most', async (t) => {
  const mutation = (alias: string) =>
    `mutation { ${alias}: createUser(input: {email: "a@example.com", name: "A"}) { user { id } } }`;
  const asked = (length: number, id: string) =>
    ask(mutation('abcd'), {}, { 'idempotency-key': 'k'.repeat(length), 'x-request-id': id });
  t.is((await asked(250, 'key-fits')).errors, undefined);
  const tooLong = await asked(251, 'key-too-long');
  t.deepEqual(codesOf(tooLong), ['invalid']);
  t.is(tooLong.errors![0]!.extensions.requestId, 'key-too-long');
  t.deepEqual(gateway.stubs.askedBy('key-too-long'), []);
});

test('a page is bounded, from one end, and counted only when that is selected', async (t) => {
  const wrong = {
    '': ['/first'],
    '(first: 0)': ['/first'],
    '(first: 101)': ['/first'],
    '(last: -1)': ['/last'],
    '(first: 1, last: 1)': ['/last'],
  };
  for (const [args, pointers] of Object.entries(wrong)) {
    const { errors } = await ask(`{ contacts${args} { nodes { id } } }`);
    t.deepEqual(
      errors?.[0]?.extensions.errors?.map(({ pointer }) => pointer),
      pointers,
      args,
    );
  }
  const inputOf = async (document: string, id: string, variables = {}) => {
    await ask(document, variables, { 'x-request-id': id });
    return gateway.stubs.calls('contacts.page').find(({ requestId }) => requestId === id)!.input;
  };
  t.deepEqual(await inputOf('{ contacts(first: 7, after: "x") { nodes { id } } }', 'page-1'), {
    limit: 7,
    fromEnd: false,
    after: 'x',
    counted: false,
  });
  const spread = `query ($no: Boolean!) { contacts(last: 7, before: "x") { ...F totalCount @include(if: $no) } }
    fragment F on ContactConnection { ... { totalCount @skip(if: true) } edges { node { id } } }`;
  t.deepEqual(await inputOf(spread, 'page-2', { no: false }), {
    limit: 7,
    fromEnd: true,
    before: 'x',
    counted: false,
  });
  t.like(await inputOf(spread, 'page-3', { no: true }), { limit: 7, counted: true });
  t.like(await inputOf('{ contacts(first: 7) { __typename totalCount } }', 'page-4'), {
    limit: 0,
    counted: true,
  });
});

test('deliveries are asked for by page and filter, from either end', async (t) => {
  const inputOf = async (args: string, id: string) => {
    const document = `{ webhook(id: "${webhookId}") { deliveries${args} { nodes { id } } } }`;
    const { errors } = await ask(document, {}, { 'x-request-id': id });
    if (errors) return errors[0]!.extensions.errors?.map(({ pointer }) => pointer);
    return gateway.stubs.calls('deliveries.list').find(({ requestId }) => requestId === id)!.input;
  };
  const moment = '2026-01-31T10:00:00+01:00';
  t.deepEqual(
    await inputOf(
      `(first: 7, after: "x", status: DEAD, kind: CONTACT_CREATED, since: "${moment}", until: null)`,
      'deliveries-1',
    ),
    {
      webhookId,
      limit: 7,
      after: 'x',
      from: 'newest',
      status: 'dead',
      kind: 'CONTACT_CREATED',
      since: moment,
    },
  );
  t.deepEqual(await inputOf('(last: 7, before: "x")', 'deliveries-2'), {
    webhookId,
    limit: 7,
    before: 'x',
    from: 'oldest',
  });
  t.deepEqual(await inputOf('', 'deliveries-3'), ['/first']);
  t.deepEqual(await inputOf('(first: 101)', 'deliveries-4'), ['/first']);
  t.deepEqual(await inputOf('(first: 1, since: "yesterday")', 'deliveries-5'), ['/since']);
});

test('a page of deliveries says what lies before and after it', async (t) => {
  gateway.stubs.answer('deliveries.list', ({ requestId }) => {
    if (requestId !== 'between') return undefined;
    const rest = {
      webhookId,
      eventId: 'evt_1',
      kind: 'CONTACT_CREATED',
      status: 'dead',
      createdAt,
    };
    const deliveries = ['dlv_b', 'dlv_a'].map((id) => ({ ...rest, id, attemptCount: 1 }));
    return { deliveries, pagination: { limit: 2, next: 'a', previous: null } };
  });
  const { data } = await ask(
    `{ webhook(id: "${webhookId}") { deliveries(first: 2) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor } nodes { status } } } }`,
    {},
    { 'x-request-id': 'between' },
  );
  t.deepEqual((data as { webhook: { deliveries: object } }).webhook.deliveries, {
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: 'b', endCursor: 'a' },
    edges: [{ cursor: 'b' }, { cursor: 'a' }],
    nodes: [{ status: 'DEAD' }, { status: 'DEAD' }],
  });
});

test('webhooks are shown to a key that may not see their deliveries, and while the dispatcher is away', async (t) => {
  const own = await gatewayFor(t);
  const webhook = { id: webhookId, url: 'https://example.com/', events: [], status: 'active' };
  own.stubs.answer('webhooks.list', () => ({ webhooks: [{ ...webhook, createdAt }] }));
  own.stubs.answer('webhooks.stats', () => new Fault('unavailable', 'Not now.'));
  const document =
    '{ webhooks { id stats { hours { hour } } deliveries(first: 1) { nodes { id } } } }';
  const { apiKey } = own.stubs.makeKey({ scopes: ['api_user'] });
  const refused = await askGraphql(own, document, {}, bearer(apiKey));
  t.deepEqual(refused.data, { webhooks: [{ id: webhookId, stats: null, deliveries: null }] });
  t.deepEqual(codesOf(refused), ['insufficient_scope', 'insufficient_scope']);
  const away = await askGraphql(own, document);
  t.deepEqual(away.data, {
    webhooks: [{ id: webhookId, stats: null, deliveries: { nodes: [{ id: deliveryId }] } }],
  });
  t.deepEqual(codesOf(away), ['unavailable']);
});

test('a dry run is no replay, and tells how many deliveries it would cover', async (t) => {
  gateway.stubs.answer('replays.create', ({ input }) =>
    (input as { dryRun: boolean }).dryRun
      ? { replay: { id: null, webhookId, total: 7, done: 0, status: 'dry_run', createdAt } }
      : undefined,
  );
  const { data, text } = await ask(
    `mutation { createReplay(input: {webhookId: "${webhookId}", since: "${createdAt}", kinds: [CONTACT_DELETED], status: DEAD, dryRun: true}) { total replay { id } } }`,
    {},
    { 'x-request-id': 'dry' },
  );
  t.deepEqual(data, { createReplay: { total: 7, replay: null } }, text);
  const call = gateway.stubs.calls('replays.create').find(({ requestId }) => requestId === 'dry')!;
  t.deepEqual(call.input, {
    webhookId,
    since: createdAt,
    kinds: ['CONTACT_DELETED'],
    status: 'dead',
    dryRun: true,
  });
  const backwards = await ask(
    `mutation { createReplay(input: {webhookId: "${webhookId}", since: "${createdAt}", until: "${createdAt}"}) { total } }`,
  );
  t.deepEqual(
    backwards.errors![0]!.extensions.errors?.map(({ pointer }) => pointer),
    ['/until'],
  );
});

test('GET asks queries only, and only with a header that no form of another site can send', async (t) => {
  const get = (query: string, headers = {}) =>
    gateway.send(`/graphql?query=${encodeURIComponent(query)}`, { headers });
  t.is((await get('{ me { id } }')).status, 200);
  const mutation = await get(`mutation { updateMe(input: {name: "A"}) { user { id } } }`);
  t.is(mutation.status, 405);
  t.is(mutation.headers.get('allow'), 'POST');
});
