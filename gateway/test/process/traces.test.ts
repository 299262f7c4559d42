import {
  eventually,
  startOtlpReceiver,
  throwawayNats,
  type ReceivedSpan,
  type ThrowawayNats,
} from '@roster/testing';
import { unsampled } from '@roster/telemetry';
import test from 'ava';
import { once } from 'node:events';
import { PublishedEvents } from '../graphql/subscriptions/published-events.js';
import { openWebSocket } from '../graphql/subscriptions/transports.js';
import { contactId } from '../stub-results.js';
import { serveStubs, type StubServices } from '../stub-services.js';
import { bearer } from '../test-gateway.js';
import { startGatewayProcess } from './gateway-process.js';

let nats: ThrowawayNats;
let stubs: StubServices;
test.before(async () => {
  nats = await throwawayNats();
  stubs = await serveStubs(nats.url);
});
test.after.always(async () => {
  await stubs?.close();
  await nats?.stop();
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${traceId}-${clientSpan}-01`, tracestate: 'vendor=a, other=b' };
/** Prints that the process loads the recorder or the SDK of OpenTelemetry. */
const printLoaded = `data:text/javascript,import{registerHooks}from'node:module';registerHooks({load(url,context,next){if(/sdk-trace|recorder/.test(url))console.error('loads_a_recorder');return(next(url,context))}})`;
const loads = 'loads_a_recorder';

test('a traced request has a span below that of the client, and its problem document and log line the ID of the trace', async (t) => {
  const receiver = await startOtlpReceiver();
  t.teardown(() => receiver.stop());
  const gateway = await startGatewayProcess(t, {
    NATS_URL: nats.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret-of-collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    NODE_OPTIONS: `--import=${printLoaded}`,
  });
  const { apiKey, workspaceId } = stubs.makeKey();
  const url = `http://127.0.0.1:${gateway.port}`;
  const headers = { ...bearer(apiKey), ...sampled, 'x-request-id': 'first' };
  const answer = await fetch(`${url}/v1/contacts/${contactId}?q=secret-query`, { headers });
  t.is(answer.status, 422);
  t.is(((await answer.json()) as { traceId: string }).traceId, traceId);
  const span = await eventually(() =>
    receiver.spans.find(({ parentSpanId }) => parentSpanId === clientSpan),
  );
  t.like(span, {
    traceId,
    parentSpanId: clientSpan,
    traceState: 'vendor=a,other=b',
    name: 'GET /v1/contacts/{contactId}',
    kind: 2,
    isError: false,
  });
  t.deepEqual(span.attributes, {
    'http.request.method': 'GET',
    'http.route': '/v1/contacts/{contactId}',
    'http.response.status_code': 422,
    'url.path': '/v1/contacts/{contactId}',
    'url.scheme': 'http',
    'roster.operation': 'contacts.get',
    'roster.request.id': 'first',
    'roster.workspace.id': workspaceId,
    'roster.fault.code': 'invalid',
  });
  t.like(span.resource, {
    'service.name': 'roster-gateway',
    'deployment.environment.name': 'test',
  });
  t.is(receiver.requests[0]!.path, '/v1/traces');
  t.is(receiver.requests[0]!.headers.authorization, 'Bearer secret-of-collector');
  const line = await eventually(() => lineOf(gateway.output(), 'first'));
  t.is(line.traceId, traceId);
  t.true(gateway.output().includes(loads));
  t.notRegex(gateway.output(), /secret/);
});

test('a request that the client does not sample has no span, and others have one of their own', async (t) => {
  const receiver = await startOtlpReceiver();
  t.teardown(() => receiver.stop());
  const gateway = await startGatewayProcess(t, {
    NATS_URL: nats.url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own/path`,
    OTEL_SERVICE_NAME: 'contacts-api',
  });
  const { apiKey } = stubs.makeKey();
  const send = async (id: string, more: Record<string, string>) => {
    const headers = { ...bearer(apiKey), 'x-request-id': id, ...more };
    const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/nowhere`, { headers });
    return ((await response.json()) as { traceId?: string }).traceId;
  };
  t.is(await send('second', { traceparent: `00-${traceId}-${clientSpan}-00` }), undefined);
  const own = await send('third', { traceparent: 'malformed', tracestate: 'vendor=a' });
  t.regex(own!, /^[0-9a-f]{32}$/);
  gateway.process.kill('SIGTERM');
  t.is(await gateway.exit, 0);
  t.is(receiver.requests[0]!.path, '/own/path');
  // Exported during the shutdown.
  t.deepEqual(receiver.spans.map(shown), [{ traceId: own, parentSpanId: '', traceState: '' }]);
  t.is(receiver.spans[0]!.resource['service.name'], 'contacts-api');
  t.is(lineOf(gateway.output(), 'second')!.traceId, traceId);
});

test('GraphQL errors of a traced request have the ID of the trace, and so have operations over WebSocket, which have spans', async (t) => {
  const receiver = await startOtlpReceiver();
  t.teardown(() => receiver.stop());
  await PublishedEvents.open(stubs);
  const { port } = await startGatewayProcess(t, {
    ...{ NATS_URL: nats.url, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  });
  const { apiKey, workspaceId } = stubs.makeKey();
  const url = `http://127.0.0.1:${port}`;
  const idOf = async (headers: Record<string, string>, body = '{"query":"{ unknown }"}') => {
    const response = await fetch(`${url}/graphql`, {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', ...headers },
    });
    const { errors } = (await response.json()) as { errors: { extensions: ErrorIds }[] };
    t.is(typeof errors[0]!.extensions.requestId, 'string');
    return errors[0]!.extensions.traceId;
  };
  t.is(await idOf({ ...bearer(apiKey), ...sampled }), traceId);
  t.is(await idOf({ ...bearer(apiKey), ...sampled }, '{"query":7}'), traceId);
  t.is(await idOf(sampled), traceId);
  t.is(await idOf({ ...bearer(apiKey), traceparent: unsampled(sampled.traceparent) }), undefined);

  const socket = openWebSocket(t, url, { ...bearer(apiKey), ...sampled });
  const messages: { type: string; payload: { extensions: ErrorIds }[] }[] = [];
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  await once(socket, 'open');
  const say = (message: object) => socket.send(JSON.stringify(message));
  say({ type: 'connection_init' });
  await eventually(() => messages.some(({ type }) => type === 'connection_ack'));
  say({ type: 'subscribe', id: 'wrong', payload: { query: 'subscription { unknown }' } });
  const refused = await eventually(() => messages.find(({ type }) => type === 'error'));
  t.is(refused.payload[0]!.extensions.traceId, traceId);
  say({ type: 'subscribe', id: 'right', payload: { query: 'subscription { events { id } }' } });
  const spans = await eventually(() => {
    const all = receiver.spans.filter(({ name }) => name === 'graphql.subscribe');
    return all.length === 2 && all;
  });
  for (const span of spans) {
    t.like(span, { traceId, parentSpanId: clientSpan });
    t.is(span.attributes['roster.workspace.id'], workspaceId);
  }
});

interface ErrorIds {
  requestId?: string;
  traceId?: string;
}

const shown = ({ traceId, parentSpanId, traceState }: ReceivedSpan) => ({
  ...{ traceId, parentSpanId, traceState },
});

test('without tracing, neither the recorder nor the SDK of OpenTelemetry is loaded', async (t) => {
  for (const env of [
    {},
    { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  ]) {
    const gateway = await startGatewayProcess(t, {
      ...{ NATS_URL: nats.url, NODE_OPTIONS: `--import=${printLoaded}`, ...env },
    });
    const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/nowhere`, {
      headers: sampled,
    });
    t.false('traceId' in ((await response.json()) as object));
    t.false(gateway.output().includes(loads));
  }
});

test('a collector that is away delays no request and no shutdown, and its spans are counted', async (t) => {
  const gateway = await startGatewayProcess(t, {
    NATS_URL: nats.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
  });
  const url = `http://127.0.0.1:${gateway.port}/v1/nowhere`;
  for (let n = 0; n < 4000; n += 100)
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const response = await fetch(url);
        t.is(response.status, 404);
        await response.text();
      }),
    );
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.adminPort}/metrics`)).text();
  t.regex(metrics, /roster_trace_spans_dropped_total\{reason="queue_full".*\} [1-9]/);
  gateway.process.kill('SIGTERM');
  t.is(await gateway.exit, 0);
});

function lineOf(output: string, requestId: string): { traceId?: string } | undefined {
  const line = output.split('\n').find((each) => each.includes(`"requestId":"${requestId}"`));
  return line?.endsWith('}') ? (JSON.parse(line) as { traceId?: string }) : undefined;
}
