import { Fault } from '@roster/contracts';
import test from 'ava';
import { createdAt, deliveryId, webhookId } from '../../stub-results.js';
import { bearer, gatewayFor, sharedGateway } from '../../test-gateway.js';
import { codesOf, executeGraphql, executeOn } from '../execute-graphql.js';

const gateway = sharedGateway(test);
const execute = executeOn(gateway);

test('passes the page and the filters of deliveries to the service, with times in UTC', async (t) => {
  const inputOf = async (args: string, id: string) => {
    const document = `{ webhook(id: "${webhookId}") { deliveries${args} { nodes { id } } } }`;
    const { errors } = await execute(document, {}, { 'x-request-id': id });
    if (errors) return errors[0]!.extensions.errors?.map(({ pointer }) => pointer);
    return gateway()
      .stubs.calls('deliveries.list')
      .find(({ requestId }) => requestId === id)!.input;
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
      since: '2026-01-31T09:00:00.000Z',
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

test('passes the filter of the deliveries of all webhooks, and counts only if totals are selected', async (t) => {
  const inputOf = async (args: string, selected: string, id: string) => {
    const document = `{ deliveries${args} { ${selected} } }`;
    const { errors } = await execute(document, {}, { 'x-request-id': id });
    if (errors) return errors[0]!.extensions.errors?.map(({ pointer }) => pointer);
    return gateway()
      .stubs.calls('workspace-deliveries.list')
      .find(({ requestId }) => requestId === id)!.input;
  };
  const filter = `{webhookId: "${webhookId}", status: [DEAD, PENDING], kind: CONTACT_CREATED, statusCode: "5xx", until: null}`;
  t.deepEqual(await inputOf(`(first: 7, filter: ${filter})`, 'nodes { id }', 'all-1'), {
    ...{ webhookId, status: ['dead', 'pending'], kind: ['CONTACT_CREATED'], statusCode: '5xx' },
    ...{ limit: 7, from: 'newest', totals: false },
  });
  t.like(await inputOf('(last: 7, before: "x")', 'totals { dead }', 'all-2'), {
    ...{ limit: 7, before: 'x', from: 'oldest', totals: true },
  });
  t.deepEqual(await inputOf('', 'nodes { id }', 'all-3'), ['/first']);
  t.deepEqual(await inputOf('(first: 1, filter: {statusCode: "6xx"})', 'nodes { id }', 'all-4'), [
    '/statusCode',
  ]);
});

test('returns the page info and the cursors of deliveries', async (t) => {
  gateway().stubs.answer('deliveries.list', ({ requestId }) => {
    if (requestId === 'empty')
      return { deliveries: [], pagination: { limit: 2, next: 'c', previous: null } };
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
  const pageOf = async (id: string) => {
    const { data } = await execute(
      `{ webhook(id: "${webhookId}") { deliveries(first: 2) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor } nodes { status } } } }`,
      {},
      { 'x-request-id': id },
    );
    return (data as { webhook: { deliveries: object } }).webhook.deliveries;
  };
  t.deepEqual(await pageOf('between'), {
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: 'b', endCursor: 'a' },
    edges: [{ cursor: 'b' }, { cursor: 'a' }],
    nodes: [{ status: 'DEAD' }, { status: 'DEAD' }],
  });
  // A page with a filter, of which further pages follow.
  t.deepEqual(await pageOf('empty'), {
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: 'c' },
    edges: [],
    nodes: [],
  });
});

test('returns webhooks without their deliveries if the scope is missing or the dispatcher is unavailable', async (t) => {
  const own = await gatewayFor(t);
  const webhook = { id: webhookId, url: 'https://example.com/', events: [], status: 'active' };
  own.stubs.answer('webhooks.list', () => ({ webhooks: [{ ...webhook, createdAt }] }));
  own.stubs.answer('webhooks.stats', () => new Fault('unavailable', 'Not now.'));
  const document =
    '{ webhooks(first: 10) { id stats { hours { hour } } deliveries(first: 1) { nodes { id } } } }';
  const { apiKey } = own.stubs.makeKey({ scopes: ['api_user'] });
  const refused = await executeGraphql(own, document, {}, bearer(apiKey));
  t.deepEqual(refused.data, { webhooks: [{ id: webhookId, stats: null, deliveries: null }] });
  t.deepEqual(codesOf(refused), ['insufficient_scope', 'insufficient_scope']);
  const unavailable = await executeGraphql(own, document);
  t.deepEqual(unavailable.data, {
    webhooks: [{ id: webhookId, stats: null, deliveries: { nodes: [{ id: deliveryId }] } }],
  });
  t.deepEqual(codesOf(unavailable), ['unavailable']);
});
