import {
  eventually,
  startOtlpReceiver,
  type OtlpReceiver,
  type ReceivedSpan,
} from '@roster/testing';
import test from 'ava';
import { openRoster } from './client.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

let receiver: OtlpReceiver;
let roster: RunningRoster;
test.before(async (t) => {
  receiver = await startOtlpReceiver();
  roster = await startRoster({
    t,
    env: {
      ...patience,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      RETRY_SCHEDULE_SECONDS: '1,1,1',
      // Only what a test samples is traced.
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    },
  });
});
test.after.always(async () => {
  await roster?.discard();
  await receiver?.stop();
});

test.serial(
  'the trace of a request contains the call, its handling by the service, and its statements without values',
  async (t) => {
    const traceId = newTraceId(1);
    const answer = await post('/v1/contacts', contact('traced-1'), traceId);
    t.is(answer.status, 201);
    const spans = await spansOf(traceId, ({ name }) => name === 'POST /v1/contacts');
    const root = one(spans, 'POST /v1/contacts');
    const send = one(spans, 'send contacts.create');
    const process = one(spans, 'process contacts.create');
    t.is(root.parentSpanId, clientSpan);
    t.is(send.parentSpanId, root.spanId);
    t.is(process.parentSpanId, send.spanId);
    t.is(process.resource['service.name'], 'roster-contacts');
    t.like(process.attributes, {
      'messaging.system': 'nats',
      'messaging.destination.name': 'contacts.create',
      'messaging.batch.message_count': 1,
      'roster.workspace.id': roster.workspaceId,
    });
    // Others are of the call that reads the quota of the workspace.
    const statements = spans.filter(
      ({ attributes, resource }) =>
        'db.query.summary' in attributes && resource['service.name'] === 'roster-contacts',
    );
    t.true(statements.length > 0);
    for (const { name, attributes, parentSpanId } of statements) {
      t.is(parentSpanId, process.spanId);
      t.deepEqual(attributes, { 'db.system.name': 'postgresql', 'db.query.summary': name });
    }
    for (const span of spans) {
      t.is(span.traceState, 'vendor=a', `${span.name} of ${span.resource['service.name']}`);
      t.true(span.startNs <= span.endNs);
      t.notRegex(JSON.stringify({ ...span, startNs: 0, endNs: 0 }), /example\.com|traced-1|secret/);
    }
  },
);

test.serial(
  'calls of a GraphQL request are part of its trace, with the calls that services make',
  async (t) => {
    const traceId = newTraceId(2);
    await post('/graphql', { query: '{ contacts(first: 1) { nodes { id } } }' }, traceId);
    await send('GET', '/v1/audit-log', undefined, traceId);
    const spans = await spansOf(traceId, ({ name }) => name === 'GET /v1/audit-log');
    const graphql = one(spans, 'POST /graphql');
    t.is(one(spans, 'send contacts.page').parentSpanId, graphql.spanId);
    const handled = one(spans, 'process audit-log.list');
    const further = one(spans, 'send webhooks.audit-entries');
    t.is(further.parentSpanId, handled.spanId);
    t.is(one(spans, 'process webhooks.audit-entries').parentSpanId, further.spanId);
  },
);

test.serial(
  'a failed call ends its spans with the code of its fault, and a refused one is no error',
  async (t) => {
    const traceId = newTraceId(3);
    const missing = '/v1/contacts/con_00000000000000000000000000';
    t.is((await send('GET', missing, undefined, traceId)).status, 404);
    const spans = await spansOf(traceId, ({ name }) => name.startsWith('GET '));
    for (const span of spans) t.is(span.isError, span.name === 'send contacts.get', span.name);
  },
);

test.serial(
  'each call of a batch has a span in its own trace, and the statements are below one to which the others are linked',
  async (t) => {
    const ids = Array.from({ length: 100 }, (_, n) => newTraceId(1000 + n));
    await Promise.all(ids.map((id, n) => post('/v1/contacts', contact(`together-${n}`), id)));
    const handled = await eventually(
      () => {
        const all = receiver.spans.filter(
          ({ traceId, name }) => ids.includes(traceId) && name === 'process contacts.create',
        );
        return all.length >= 100 && all;
      },
      { timeoutMs: 30_000 },
    );
    t.deepEqual(handled.map(({ traceId }) => traceId).toSorted(), ids.toSorted());
    const linked = handled.filter(({ links }) => links.length > 0);
    t.true(linked.length > 0);
    for (const { links, attributes } of linked) {
      const first = handled.find(({ spanId }) => spanId === links[0]!.spanId)!;
      t.is(first.traceId, links[0]!.traceId);
      const count = 'messaging.batch.message_count';
      t.is(first.attributes[count], attributes[count]);
      t.true(Number(attributes[count]) > 1);
    }
  },
);

test.serial('a request that is not sampled is not traced in any process', async (t) => {
  const traceId = newTraceId(4);
  const answer = await fetch(`${roster.baseUrl}/v1/contacts`, {
    headers: {
      authorization: `Bearer ${roster.apiKey}`,
      traceparent: `00-${traceId}-${clientSpan}-00`,
    },
  });
  t.is(answer.status, 200);
  // Spans are exported in their order.
  const later = newTraceId(5);
  await send('GET', '/v1/contacts', undefined, later);
  await spansOf(later, ({ name }) => name.startsWith('GET '));
  await spansOf(later, ({ name }) => name.startsWith('process '));
  t.false(receiver.spans.some((span) => span.traceId === traceId));
});

test.serial(
  'attempts of deliveries continue the trace, and webhooks that ask for it receive its context, also in retries',
  async (t) => {
    const asking = await startReceiver([500]);
    const other = await startReceiver();
    t.teardown(() => Promise.all([asking.stop(), other.stop()]));
    const client = openRoster(roster);
    const events = ['CONTACT_CREATED' as const];
    const webhook = await client.webhooks.create({ url: asking.url, events, traceContext: true });
    t.true(webhook.traceContext);
    t.false((await client.webhooks.create({ url: other.url, events })).traceContext);
    const traceId = newTraceId(6);
    await post('/v1/contacts', contact('delivered'), traceId);
    await eventually(() => asking.received.length === 2 && other.received.length === 1, soon);
    const spans = await eventually(() => {
      const all = receiver.spans.filter((span) => span.traceId === traceId);
      return all.filter(({ name }) => name === 'POST').length === 3 && all;
    }, soon);
    const published = one(spans, 'publish CONTACT_CREATED');
    t.is(published.parentSpanId, one(spans, 'process contacts.create').spanId);
    const attempts = spans.filter(({ name }) => name === 'POST');
    for (const attempt of attempts) {
      t.is(attempt.parentSpanId, published.spanId);
      t.is(attempt.resource['service.name'], 'roster-dispatcher');
      t.is(attempt.attributes['server.address'], '127.0.0.1');
      t.notRegex(JSON.stringify(attempt.attributes), /hook|example\.com/);
    }
    const failed = attempts.filter(({ isError }) => isError);
    t.deepEqual(
      failed.map(({ attributes }) => attributes['http.response.status_code']),
      [500],
    );
    for (const { headers } of asking.received) {
      const sent = attempts.find(({ spanId }) => headers['traceparent']?.includes(spanId));
      t.is(headers['traceparent'], `00-${traceId}-${sent?.spanId}-01`);
      t.is(headers['tracestate'], 'vendor=a');
    }
    t.false('traceparent' in other.received[0]!.headers);
    const { deliveries } = await client.deliveries.list(webhook.id);
    const whole = await eventually(async () => {
      const delivery = await client.deliveries.get(deliveries[0]!.id);
      return delivery.attempts.length === 2 && delivery;
    }, soon);
    t.deepEqual(
      whole.attempts.map((attempt) => attempt.traceId),
      [traceId, traceId],
    );

    // Of a request that is not traced.
    await client.contacts.create(contact('untraced'));
    await eventually(() => asking.received.length >= 3, soon);
    t.false('traceparent' in asking.received[2]!.headers);
    const untraced = await client.webhooks.update(webhook.id, { traceContext: false });
    t.false(untraced.traceContext);
  },
);

test.serial(
  'an import continues the trace of its request to the deliveries of its contacts',
  async (t) => {
    const asking = await startReceiver();
    t.teardown(() => asking.stop());
    const events = ['CONTACT_CREATED' as const, 'IMPORT_ENDED' as const];
    await openRoster(roster).webhooks.create({ url: asking.url, events, traceContext: true });
    const traceId = newTraceId(7);
    const file = 'email\nimported-1@example.com\nimported-2@example.com\n';
    t.is((await send('POST', '/v1/imports', file, traceId, 'text/csv')).status, 202);
    await eventually(() => asking.received.length >= 3, soon);
    const whole = await eventually(() => {
      const spans = receiver.spans.filter((span) => span.traceId === traceId);
      const sent = asking.received.map(({ headers }) => headers['traceparent']);
      const posts = spans.filter(({ name }) => name === 'POST');
      const found = sent.every((each) =>
        posts.some(({ spanId }) => each === `00-${traceId}-${spanId}-01`),
      );
      return found && spans.some(({ name }) => name === 'POST /v1/imports') && spans;
    }, soon);
    const request = one(whole, 'process imports.create');
    t.is(one(whole, 'send imports.create').parentSpanId, one(whole, 'POST /v1/imports').spanId);
    const slice = one(whole, 'process import');
    t.is(slice.parentSpanId, request.spanId);
    t.is(slice.resource['service.name'], 'roster-contacts');
    for (const kind of events) t.is(one(whole, `publish ${kind}`).parentSpanId, slice.spanId, kind);
  },
);

const soon = { timeoutMs: 30_000 };
const clientSpan = 'b7ad6b7169203331';
const newTraceId = (n: number) => n.toString(16).padStart(32, 'a');
const contact = (name: string) => ({ email: `${name}@example.com`, name: `secret ${name}` });

const post = (path: string, body: object, traceId: string) => send('POST', path, body, traceId);

async function send(
  method: string,
  path: string,
  body: object | string | undefined,
  traceId: string,
  type = 'application/json',
) {
  const response = await fetch(`${roster.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${roster.apiKey}`,
      'content-type': type,
      traceparent: `00-${traceId}-${clientSpan}-01`,
      tracestate: 'vendor=a',
    },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  await response.text();
  return response;
}

/** The spans of a trace, when one of the gateway and those of the service have arrived. */
const spansOf = (traceId: string, last: (span: ReceivedSpan) => boolean) =>
  eventually(
    () => {
      const spans = receiver.spans.filter((span) => span.traceId === traceId);
      const known = new Set([clientSpan, ...spans.map(({ spanId }) => spanId)]);
      const sent = spans.filter(({ name }) => name.startsWith('send '));
      const isWhole =
        spans.some(last) &&
        spans.every(({ parentSpanId }) => known.has(parentSpanId)) &&
        sent.every(({ spanId }) => spans.some(({ parentSpanId }) => parentSpanId === spanId));
      return isWhole && spans;
    },
    { timeoutMs: 30_000 },
  );

function one(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  if (found.length !== 1)
    throw new Error(`${found.length} of ${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found[0]!;
}
