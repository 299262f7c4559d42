import { tracer, type Span } from '@roster/telemetry';
import type { Attempt } from '../attempt/attempt.js';
import type { KnownWebhook } from '../webhooks/known-webhook.js';
import type { Delivery } from './delivery.js';

/** The span of an attempt. The path of the URL may contain a secret of the receiver, and is left out. */
export function startAttempt(
  { trace, attempts, kind, trigger }: Delivery,
  { url }: KnownWebhook,
): Span | undefined {
  return tracer?.startSpan('POST', trace, {
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts || undefined,
      'server.address': url.hostname,
      'server.port': Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
      'url.scheme': url.protocol.slice(0, -1),
      'roster.event.kind': kind,
      'roster.attempt.trigger': trigger,
    },
  });
}

/** @param result undefined if the attempt did not take place */
export function endAttempt(span: Span, result: Attempt | undefined): void {
  span.set({ 'http.response.status_code': result?.statusCode ?? undefined });
  const { errorClass, statusCode } = result ?? {};
  span.end(
    result
      ? errorClass === 'status'
        ? String(statusCode)
        : (errorClass ?? undefined)
      : 'postponed',
  );
}

/** Headers of W3C Trace Context, if the webhook receives them. */
export function traceHeaders(
  trace: Pick<Span, 'traceparent' | 'tracestate'> | undefined,
  { traceContext }: KnownWebhook,
): Record<string, string> {
  if (!traceContext || !trace) return {};
  const { traceparent, tracestate } = trace;
  return { traceparent, ...(tracestate !== undefined && { tracestate }) };
}
