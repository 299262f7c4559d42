import { contactPosition } from '@roster/contracts';
import { Json } from '@roster/bus';
import test from 'ava';
import { contactId } from '../../stub-results.js';
import { sharedGateway } from '../../test-gateway.js';
import { executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

test('requires a bounded page of contacts from one end, and counts only if totalCount is selected', async (t) => {
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
});

test('searches with a filter or another order than that of creation, forwards only', async (t) => {
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
  t.deepEqual(await inputOf('first: 7, sort: CREATED_AT_DESC', 'find-2', 'totalIsEstimate'), {
    name: 'contacts.find',
    input: { limit: 7, offset: 0, counted: true, sort: '-createdAt' },
  });
  // Nothing restricts the list: it is not searched, and can be read from its end.
  const all = { f: { q: null }, s: 'CREATED_AT' };
  t.deepEqual(await inputOf('last: 7, filter: $f, sort: $s', 'find-3', 'nodes { id }', all), {
    name: 'contacts.page',
    input: { limit: 7, fromEnd: true, counted: false },
  });
  t.like(await inputOf('first: 7, filter: $f, sort: $s', 'find-4'), { name: 'contacts.page' });
});

test('rejects pages of a search from the end, and names the arguments', async (t) => {
  const wrong = {
    'last: 1, filter: {q: "ada"}': ['/last'],
    'first: 1, before: "x", sort: EMAIL': ['/before'],
    'last: 1, before: "x", sort: CREATED_AT_DESC': ['/last', '/before'],
    'filter: {q: "ada"}': ['/first'],
    'first: 101, sort: EMAIL': ['/first'],
    'first: 1, filter: {tag: ["ok", ""]}': ['/tag/1'],
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

test('a page of a search continues where it ended, also without contacts, and states whether the total is an estimate', async (t) => {
  const next = contactPosition.ofKey('email', 'zoe@example.com');
  const pagination = { total: 20_000, totalIsEstimate: true, limit: 7, offset: 0, next };
  gateway().stubs.answer('contacts.find', ({ requestId }) => {
    if (requestId === 'end')
      return new Json(
        JSON.stringify({ contacts: [shown], pagination: { ...pagination, next: null } }),
      );
    return requestId === 'empty'
      ? new Json(JSON.stringify({ contacts: [], pagination }))
      : undefined;
  });
  const document = `query ($after: String) { contacts(first: 7, after: $after, sort: EMAIL) {
    totalCount totalIsEstimate edges { cursor }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const read = async (id: string, variables = {}) =>
    (await execute(document, variables, { 'x-request-id': id })).data!['contacts'];
  t.deepEqual(await read('empty'), {
    totalCount: 20_000,
    totalIsEstimate: true,
    edges: [],
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: next },
  });
  const cursor = contactPosition.of('email', shown);
  t.like(await read('end', { after: next }), {
    edges: [{ cursor }],
    pageInfo: {
      hasNextPage: false,
      hasPreviousPage: true,
      startCursor: cursor,
      endCursor: cursor,
    },
  });
});

const shown = { id: contactId, email: 'Ada@example.com' };
