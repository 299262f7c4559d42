export { activeSpan, withSpan } from './active-span.js';
export {
  isSampled,
  parseTraceparent,
  parseTracestate,
  traceIdOf,
  traceOfText,
  traceText,
  unsampled,
  type TraceContext,
} from './trace-context.js';
export { samplerNames } from './span.js';
export { startTracing, tracer } from './tracer.js';
export type {
  Attributes,
  DropReason,
  SamplerName,
  Span,
  SpanOptions,
  Tracer,
  TracingOptions,
} from './span.js';
