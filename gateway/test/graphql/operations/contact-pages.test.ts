import test from 'ava';
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
