import { setTimeout as delay } from 'node:timers/promises';
import { eventually, startOtlpReceiver } from '@roster/testing';
import test from 'ava';
import { activeSpan, startTracing, tracer, withSpan, type TracingOptions } from '@roster/telemetry';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const client = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'vendor=1' };

function optionsFor(url: string, more: Partial<TracingOptions> = {}): TracingOptions {
  return {
    url: `${url}/v1/traces`,
    headers: {},
    sampler: 'parentbased_always_on',
    ratio: 1,
    resource: { 'service.name': 'test' },
    onDropped: () => undefined,
    ...more,
  };
}

test.serial('spans of a trace are exported with their parents, links and attributes', async (t) => {
  const receiver = await startOtlpReceiver();
  t.teardown(() => receiver.stop());
  const stop = await startTracing(optionsFor(receiver.url, { headers: { 'x-tenant': 'a' } }));
  const request = tracer!.startRequest('GET', client, { kind: 'server' })!;
  t.is(request.traceId, traceId);
  t.is(request.tracestate, 'vendor=1');
  const other = tracer!.startRequest('other', {})!;
  const step = tracer!.startSpan('step', request, { links: [other], attributes: { size: 2 } })!;
  step.end('unavailable');
  other.end();
  request.rename('GET /v1/contacts');
  request.set({ 'http.response.status_code': 200, absent: undefined });
  request.end();
  await stop();
  t.is(tracer, undefined);
  t.is(receiver.requests[0]!.path, '/v1/traces');
  t.is(receiver.requests[0]!.headers['x-tenant'], 'a');
  const found = (name: string) => receiver.spans.find((span) => span.name === name)!;
  const root = found('GET /v1/contacts');
  t.like(root, {
    traceId,
    parentSpanId: 'b7ad6b7169203331',
    traceState: 'vendor=1',
    kind: 2,
    isError: false,
    attributes: { 'http.response.status_code': 200 },
    resource: { 'service.name': 'test' },
  });
  t.like(found('step'), {
    traceId,
    parentSpanId: root.spanId,
    isError: true,
    attributes: { size: 2, 'error.type': 'unavailable' },
    links: [{ traceId: found('other').traceId, spanId: found('other').spanId }],
  });
});

test.serial('the sampler decides about requests, and steps follow their request', async (t) => {
  const receiver = await startOtlpReceiver();
  t.teardown(() => receiver.stop());
  const unsampled = { traceparent: `00-${traceId}-b7ad6b7169203331-00` };
  const decided = async (sampler: TracingOptions['sampler'], ratio: number) => {
    const stop = await startTracing(optionsFor(receiver.url, { sampler, ratio }));
    const spans = [{}, client, unsampled].map((parent) => tracer!.startRequest('GET', parent));
    await stop();
    return spans.map((span) => span !== undefined);
  };
  t.deepEqual(await decided('parentbased_always_on', 1), [true, true, false]);
  t.deepEqual(await decided('parentbased_always_off', 1), [false, true, false]);
  t.deepEqual(await decided('parentbased_traceidratio', 0), [false, true, false]);
  t.deepEqual(await decided('traceidratio', 0), [false, false, false]);
  t.deepEqual(await decided('traceidratio', 1), [true, true, true]);
  t.deepEqual(await decided('always_on', 1), [true, true, true]);
  t.deepEqual(await decided('always_off', 1), [false, false, false]);
  const stop = await startTracing(optionsFor(receiver.url));
  t.is(tracer!.startSpan('step', unsampled), undefined);
  t.is(tracer!.startSpan('step', undefined), undefined);
  await stop();
});

test.serial('work has the span that it is done for, also later', async (t) => {
  const stop = await startTracing(optionsFor('http://127.0.0.1:1'));
  const span = tracer!.startRequest('GET', {})!;
  await withSpan(span, async () => {
    await delay(1);
    t.is(activeSpan(), span);
    withSpan(undefined, () => t.is(activeSpan(), undefined));
  });
  t.is(activeSpan(), undefined);
  await stop();
});

test.serial(
  'spans beyond the queue, and those that a collector refuses, are dropped and counted',
  async (t) => {
    const dropped: Record<string, number> = {};
    const stop = await startTracing(
      optionsFor('http://127.0.0.1:1', {
        onDropped(spans, reason) {
          dropped[reason] = (dropped[reason] ?? 0) + spans;
        },
      }),
    );
    // The first 512 are taken for an export, which fails.
    for (let n = 0; n < 4000; n += 1) tracer!.startRequest('GET', {})!.end();
    t.true(dropped['queue_full']! >= 4000 - 2048 - 512);
    await eventually(() => (dropped['not_exported'] ?? 0) >= 512, { timeoutMs: 30_000 });
    const started = performance.now();
    await stop();
    t.true(performance.now() - started < 5000);
  },
);
