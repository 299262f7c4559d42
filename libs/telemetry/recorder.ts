import { setTimeout as delay } from 'node:timers/promises';
import {
  createTraceState,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Attributes, SamplerName, Span, SpanOptions, Tracer, TracingOptions } from './span.js';
import { isSampled, type TraceContext } from './trace-context.js';

// Loaded only if spans are recorded. Nothing of the global API of OpenTelemetry is used.

/** Maximum number of ended spans that wait to be exported. Further ones are dropped. */
const queueMax = 2048;
const exportMax = 512;
const exportEveryMs = 1000;
/** How long a shutdown waits for the collector. */
const flushMs = 2000;

type Exporter = Pick<SpanExporter, 'export' | 'shutdown'>;

/** @param exporter for tests */
export function openRecorder(
  options: TracingOptions,
  exporter: Exporter = new OTLPTraceExporter({
    url: options.url,
    headers: { ...options.headers },
  }),
): Tracer & { close(): Promise<void> } {
  const { sampler, ratio, resource, onDropped } = options;
  let queued = 0;
  const processor = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        queued -= spans.length;
        exporter.export(spans, (result) => {
          if (!isExported(result.code)) onDropped(spans.length, 'not_exported', result.error);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: queueMax,
    maxExportBatchSize: exportMax,
    scheduledDelayMillis: exportEveryMs,
  });
  const provider = new TracerProvider({
    sampler: samplerOf(sampler, ratio),
    resource: resourceFromAttributes(resource),
    spanProcessors: [
      {
        onStart() {},
        // The processor would drop what exceeds its queue without saying so.
        onEnd(span: ReadableSpan) {
          if (queued >= queueMax) return onDropped(1, 'queue_full');
          queued += 1;
          processor.onEnd(span);
        },
        forceFlush: () => processor.forceFlush(),
        shutdown: () => processor.shutdown(),
      },
    ],
  });
  const tracer = provider.getTracer('roster');
  const isWanted = decisions[sampler](ratio);
  return {
    startRequest: (name, client, more) =>
      isWanted(client.traceparent) ? begin(tracer, name, client, more) : undefined,
    startSpan: (name, parent, more) =>
      parent && isSampled(parent.traceparent) ? begin(tracer, name, parent, more) : undefined,
    async close() {
      // What the collector refused is counted.
      await Promise.race([provider.shutdown().catch(() => {}), delay(flushMs)]);
    },
  };
}

/** `ExportResultCode.SUCCESS` of @opentelemetry/core. */
const isExported = (code: number): boolean => code === 0;

/**
 * Which requests get a span, by the traceparent of the client: without objects of the SDK, because most get none. What depends on the
 * ID of the trace is left to the sampler.
 */
const decisions: Record<
  SamplerName,
  (ratio: number) => (traceparent: string | undefined) => boolean
> = {
  always_on: () => () => true,
  always_off: () => () => false,
  traceidratio: () => () => true,
  parentbased_always_on: () => (traceparent) => traceparent === undefined || isSampled(traceparent),
  parentbased_always_off: () => isSampled,
  parentbased_traceidratio: (ratio) => (traceparent) =>
    traceparent === undefined ? Math.random() < ratio : isSampled(traceparent),
};

/** What is asked for spans that `decisions` allows. */
const samplerOf = (name: SamplerName, ratio: number): Sampler =>
  name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

function begin(
  tracer: OtelTracer,
  name: string,
  parent: TraceContext,
  { kind, attributes, links, startedAt }: SpanOptions = {},
): Span | undefined {
  const span = tracer.startSpan(
    name,
    {
      kind: kinds[kind ?? 'internal'],
      ...(attributes && { attributes }),
      ...(links && { links: links.flatMap(linkTo) }),
      ...(startedAt !== undefined && { startTime: startedAt }),
    },
    contextOf(parent),
  );
  return span.isRecording() ? new RecordedSpan(span, parent.tracestate) : undefined;
}

class RecordedSpan implements Span {
  readonly tracestate: string | undefined;
  readonly traceparent: string;
  readonly #span: OtelSpan;

  constructor(span: OtelSpan, tracestate: string | undefined) {
    this.#span = span;
    this.tracestate = tracestate;
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) this.#span.setAttribute(name, value);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  end(errorType?: string): void {
    if (errorType !== undefined) {
      this.#span.setAttribute('error.type', errorType);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

function contextOf(parent: TraceContext): Context {
  const context = spanContextOf(parent);
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

function spanContextOf(context: TraceContext): SpanContext | undefined {
  const { traceparent, tracestate } = context;
  if (traceparent === undefined) return undefined;
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16),
    isRemote: !(context instanceof RecordedSpan),
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
}

function linkTo(context: TraceContext): Link[] {
  const linked = spanContextOf(context);
  return linked ? [{ context: linked }] : [];
}
