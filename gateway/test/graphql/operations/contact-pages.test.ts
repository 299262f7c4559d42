import { contactPosition, emailKey } from '@roster/contracts';
import { Json } from '@roster/bus';
import test from 'ava';
import { contactId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';
import { executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

const shown = { id: contactId, email: 'Ada@example.com' };
const next = contactPosition.ofKey('email', 'zoe@example.com');
const pagination = { total: 20_000, totalIsEstimate: true, limit: 7, offset: 0, next };

/** Results of searches, by the beginning of the ID of a request. */
const found: Record<string, object> = {
  empty: { contacts: [], pagination: { ...pagination, hasNext: true, hasPrevious: false } },
  end: {
    contacts: [shown],
    pagination: { ...pagination, next: null, hasNext: false, hasPrevious: true },
  },
  backwards: { contacts: [], pagination: { ...pagination, hasNext: false, hasPrevious: true } },
  former: { contacts: [shown], pagination: { ...pagination, next: null } },
};

function stubResults(): void {
  const { stubs } = gateway();
  stubs.answer('contacts.find', ({ requestId }) => {
    const result = found[requestId.split('-')[0]!];
    return result && new Json(JSON.stringify(result));
  });
  stubs.answer('contacts.page', ({ requestId }) =>
    requestId === 'page-5'
      ? { contacts: [], hasNext: false, hasPrevious: false, total: null, offset: 3 }
      : undefined,
  );
}

test('requires a bounded page of contacts from one end, and counts only if totalCount is selected', async (t) => {
  stubResults();
  const wrong = {
    '': ['/first'],
    '(first: 0)': ['/first'],
    '(first: 101)': ['/first'],
    '(last: -1)': ['/last'],
    '(first: 1, last: 1)': ['/last'],
  };
  for (const [args, pointers] of Object.entries(wrong)) {
    const { errors } = await execute(`{ contacts${args} { nodes { id } } }`);
    t.deepEqual(
      errors?.[0]?.extensions.errors?.map(({ pointer }) => pointer),
      pointers,
      args,
    );
  }
  const inputOf = async (document: string, id: string, variables = {}) => {
    await execute(document, variables, { 'x-request-id': id });
    return gateway()
      .stubs.calls('contacts.page')
      .find(({ requestId }) => requestId === id)!.input;
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
  t.like(await inputOf('{ contacts(last: 7, offset: 3) { nodes { id } } }', 'page-5'), {
    limit: 7,
    fromEnd: true,
    offset: 3,
  });
});

test('a filter has a status or its complement, of actions too', async (t) => {
  const filter = '{status: SUBSCRIBED, statusNot: SUBSCRIBED}';
  const act = (given: string) =>
    `mutation { createContactAction(input: {filter: ${given}, change: {addTags: ["a"]}}) { __typename } }`;
  for (const [document, pointer] of [
    [`{ contacts(first: 1, filter: ${filter}) { nodes { id } } }`, '/statusNot'],
    [act(filter), '/filter/statusNot'],
  ] as const) {
    const { errors } = await execute(document);
    t.like(errors![0]!.extensions, { code: 'invalid', errors: [{ pointer }] }, document);
  }
  const { errors } = await execute(act('{statusNot: UNSUBSCRIBED, q: null}'), undefined, {
    'x-request-id': 'act-not',
  });
  t.is(errors, undefined);
  const call = gateway()
    .stubs.calls('contact-actions.create')
    .find(({ requestId }) => requestId === 'act-not');
  t.like(call?.input, { filter: { status: 'subscribed' } });
});

test('searches with a filter or another order than that of creation, from either end', async (t) => {
  const inputOf = async (args: string, id: string, selected = 'nodes { id }', variables = {}) => {
    const declared = args.includes('$') ? 'query ($f: ContactFilter, $s: ContactSort)' : '';
    const document = `${declared} { contacts(${args}) { ${selected} } }`;
    const { errors } = await execute(document, variables, { 'x-request-id': id });
    t.is(errors, undefined, args);
    const calls = (['contacts.find', 'contacts.page'] as const).flatMap((name) =>
      gateway()
        .stubs.calls(name)
        .filter(({ requestId }) => requestId === id)
        .map(({ input }) => ({ name, input })),
    );
    t.is(calls.length, 1);
    return calls[0];
  };
  const filter = `{email: "A@b.example", tag: ["vip"], status: UNSUBSCRIBED, property: {city: "Paris"},
    createdAfter: "2026-01-01T01:00:00+01:00", createdBefore: "2026-02-01T00:00:00Z", q: "ada"}`;
  t.deepEqual(await inputOf(`first: 7, after: "x", filter: ${filter}, sort: EMAIL`, 'find-1'), {
    name: 'contacts.find',
    input: {
      limit: 7,
      offset: 0,
      after: 'x',
      counted: false,
      email: 'A@b.example',
      tag: ['vip'],
      status: 'unsubscribed',
      property: { city: 'Paris' },
      createdAfter: '2026-01-01T00:00:00.000Z',
      createdBefore: '2026-02-01T00:00:00.000Z',
      q: 'ada',
      sort: 'email',
    },
  });
  t.like(await inputOf('first: 7, filter: {statusNot: SUBSCRIBED, status: null}', 'find-not'), {
    name: 'contacts.find',
    // The contract reads the complement of a status as the other one.
    input: { status: 'unsubscribed' },
  });
  const exact = 'first: 7, sort: CREATED_AT_DESC, exactCount: true';
  t.deepEqual(await inputOf(exact, 'find-exact', 'totalCount'), {
    name: 'contacts.find',
    input: { limit: 7, offset: 0, counted: true, count: 'exact', sort: '-createdAt' },
  });
  t.deepEqual(await inputOf('first: 7, sort: CREATED_AT_DESC', 'find-2', 'totalIsEstimate'), {
    name: 'contacts.find',
    input: { limit: 7, offset: 0, counted: true, sort: '-createdAt' },
  });
  for (const [args, sort] of [
    ['{name: "age"}', 'property:age'],
    ['{name: "age", descending: true}', '-property:age'],
  ])
    t.like(await inputOf(`first: 7, sort: null, sortProperty: ${args}`, `find-${sort}`), {
      name: 'contacts.find',
      input: { sort },
    });
  // Nothing restricts the list: it is not searched.
  const all = { f: { q: null }, s: 'CREATED_AT' };
  t.deepEqual(await inputOf('last: 7, filter: $f, sort: $s', 'find-3', 'nodes { id }', all), {
    name: 'contacts.page',
    input: { limit: 7, fromEnd: true, counted: false },
  });
  const shownAround = 'pageInfo { hasNextPage }';
  t.deepEqual(
    await inputOf('last: 7, before: "x", offset: 3, sort: EMAIL', 'find-5', shownAround),
    {
      name: 'contacts.find',
      input: {
        limit: 7,
        offset: 3,
        before: 'x',
        fromEnd: true,
        around: true,
        counted: false,
        sort: 'email',
      },
    },
  );
  t.like(await inputOf('first: 7, filter: $f, sort: $s', 'find-4'), { name: 'contacts.page' });
});

test('rejects wrong arguments of a search, and names them', async (t) => {
  const wrong = {
    'first: 1, last: 1, filter: {q: "ada"}': ['/last'],
    'last: 1, offset: 10001, sort: EMAIL': ['/offset'],
    'first: 1, offset: -1': ['/offset'],
    'filter: {q: "ada"}': ['/first'],
    'first: 101, sort: EMAIL': ['/first'],
    'first: 1, filter: {tag: ["ok", ""]}': ['/tag/1'],
    'first: 1, sort: EMAIL, sortProperty: {name: "age"}': ['/sortProperty'],
    'first: 1, sortProperty: {name: "a b"}': ['/sort'],
  };
  for (const [args, pointers] of Object.entries(wrong)) {
    const { errors } = await execute(`{ contacts(${args}) { nodes { id } } }`);
    t.deepEqual(
      errors?.[0]?.extensions.errors?.map(({ pointer }) => pointer),
      pointers,
      args,
    );
  }
});

test('a page of a search continues where it ended, in either direction and also without contacts, and states whether the total is an estimate', async (t) => {
  stubResults();
  const read = async (id: string, args = 'first: 7', variables = {}) =>
    execute(
      `query ($after: String) { contacts(${args}, after: $after, sort: EMAIL) {
        totalCount totalIsEstimate edges { cursor }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      variables,
      { 'x-request-id': id },
    );
  t.deepEqual((await read('empty')).data!['contacts'], {
    totalCount: 20_000,
    totalIsEstimate: true,
    edges: [],
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: next },
  });
  const cursor = contactPosition.ofKey('email', emailKey(shown.email));
  t.like((await read('end', 'first: 7', { after: next })).data!['contacts'], {
    edges: [{ cursor }],
    pageInfo: {
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: cursor,
      endCursor: cursor,
    },
  });
  t.like((await read('backwards', 'last: 7')).data!['contacts'], {
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: next, endCursor: null },
  });
});

test('a page that a process of the former release would read otherwise is refused', async (t) => {
  stubResults();
  const read = (args: string) =>
    execute(
      `{ contacts(${args}, sort: EMAIL) { pageInfo { hasPreviousPage endCursor } } }`,
      {},
      { 'x-request-id': `former-${args.length}` },
    );
  for (const args of ['last: 7', 'first: 7, before: "x"'])
    t.is((await read(args)).errors?.[0]?.extensions.code, 'unavailable');
  // The result does not state the offset.
  const { errors } = await execute('{ contacts(first: 7, offset: 3) { nodes { id } } }');
  t.is(errors?.[0]?.extensions.code, 'unavailable');
  t.like((await read('first: 7, after: "x"')).data!['contacts'], {
    pageInfo: {
      hasPreviousPage: true,
      endCursor: contactPosition.ofKey('email', emailKey(shown.email)),
    },
  });
});
