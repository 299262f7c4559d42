import type { TraceContext } from './trace-context.js';

/** A step of a trace that is being recorded. */
export interface Span extends TraceContext {
  readonly traceparent: string;
  readonly traceId: string;
  /** Names of OpenTelemetry's semantic conventions, or `roster.…`. No secrets, no addresses and nothing of bodies. */
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** @param errorType why it failed, from a fixed set such as fault codes; undefined if it did not */
  end(errorType?: string): void;
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  /** `internal` by default. */
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  attributes?: Attributes;
  /** Spans that it belongs to besides its parent. */
  links?: readonly TraceContext[];
  /** Milliseconds since the epoch; now by default. */
  startedAt?: number;
}

export interface Tracer {
  /**
   * Begins the span of a request from outside, if the sampler decides so.
   *
   * @param client the context that the client sent, if any
   */
  startRequest(name: string, client: TraceContext, options?: SpanOptions): Span | undefined;
  /** Begins a span below another one, if that is sampled. */
  startSpan(
    name: string,
    parent: TraceContext | undefined,
    options?: SpanOptions,
  ): Span | undefined;
}

/** `queue_full`: too many spans waited to be exported. `not_exported`: the collector is away or refused them. */
export type DropReason = 'queue_full' | 'not_exported';

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplerNames)[number];

export interface TracingOptions {
  /** URL to which spans are sent, as protobuf over HTTP. */
  url: string;
  headers: Readonly<Record<string, string>>;
  sampler: SamplerName;
  /** Which part of the traces `traceidratio` samples. */
  ratio: number;
  /** Attributes of the process: `service.name` and others. */
  resource: Readonly<Record<string, string>>;
  onDropped(spans: number, reason: DropReason, error?: Error): void;
}
