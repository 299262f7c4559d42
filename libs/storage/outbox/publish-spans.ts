import { messagingAttributes, type EventTrace } from '@roster/bus';
import { eventStream } from '@roster/contracts';
import { tracer, type Span } from '@roster/telemetry';
import type { OutboxRow } from './event.js';

/** The spans of the publication of a row: one for each of its traces. */
interface PublishSpans {
  /** The row, whose events continue these spans. */
  row: OutboxRow;
  end(errorType?: string): void;
}

function publishSpans(row: OutboxRow): PublishSpans {
  const spans = new Map<string, Span>();
  const traces = row.traces!.map((trace): EventTrace | undefined => {
    if (!trace) return undefined;
    const { traceparent, tracestate } = trace;
    const span =
      spans.get(traceparent) ??
      tracer?.startSpan(`publish ${row.kind}`, trace, {
        kind: 'producer',
        attributes: messagingAttributes(eventStream, 'publish'),
      });
    if (!span) return trace;
    spans.set(traceparent, span);
    return { traceparent: span.traceparent, tracestate };
  });
  return {
    row: { ...row, traces },
    end(errorType) {
      for (const span of spans.values()) span.end(errorType);
    },
  };
}

/** Publishes a row with spans, if its events are traced. */
export async function publishTraced(
  row: OutboxRow,
  publish: (row: OutboxRow) => Promise<number>,
): Promise<number> {
  const spans = row.traces && publishSpans(row);
  try {
    const sequence = await publish(spans?.row ?? row);
    spans?.end();
    return sequence;
  } catch (error) {
    spans?.end('not_published');
    throw error;
  }
}
