import { parseTraceparent, parseTracestate } from '@roster/telemetry';
import type { CarriedEvent } from '@roster/contracts';

export type EventTrace = NonNullable<CarriedEvent['trace']>;

/** The stream bounds the size of messages. Traces beyond it are left out. */
const lengthMax = 1000;

/**
 * The traces of the events of a message as the value of a header: for each trace, `*` or the indexes of its events, its traceparent,
 * and its tracestate or `-`, between spaces. Undefined if no event has a trace.
 *
 * @param traces by the index of the event
 */
export function formatTraces(traces: readonly (EventTrace | undefined)[]): string | undefined {
  const events = new Map<string, number[]>();
  for (const [index, trace] of traces.entries()) {
    if (!trace) continue;
    const text = `${trace.traceparent} ${trace.tracestate ?? '-'}`;
    events.set(text, [...(events.get(text) ?? []), index]);
  }
  let header = '';
  for (const [trace, indexes] of events) {
    const of = indexes.length === traces.length ? '*' : indexes.join(',');
    const longer = `${header}${header === '' ? '' : ' '}${of} ${trace}`;
    if (longer.length <= lengthMax) header = longer;
  }
  return header === '' ? undefined : header;
}

/** The events with their traces. */
export function withTraces(events: CarriedEvent[], header: string): CarriedEvent[] {
  for (const [index, trace] of parseTraces(header, events.length).entries())
    if (trace) events[index]!.trace = trace;
  return events;
}

/**
 * The traces of a text of `formatTraces`, by the index of the event. A service with stolen credentials can send any text: what is
 * malformed is left out.
 */
export function parseTraces(text: string, events: number): (EventTrace | undefined)[] {
  const traces = Array.from<EventTrace | undefined>({ length: events });
  const words = text.split(' ');
  for (let at = 0; at + 2 < words.length; at += 3) {
    const traceparent = parseTraceparent(words[at + 1]);
    if (traceparent === undefined) continue;
    const tracestate = parseTracestate(words[at + 2]);
    const trace = { traceparent, ...(tracestate !== undefined && { tracestate }) };
    const indexes = words[at] === '*' ? traces.keys() : words[at]!.split(',').map(Number);
    for (const index of indexes) if (index in traces) traces[index] = trace;
  }
  return traces;
}
