/** The trace to which something belongs, as W3C Trace Context writes it: https://www.w3.org/TR/trace-context/ */
export interface TraceContext {
  /** Always of version 00: `00-<trace ID>-<span ID>-<flags>`. */
  readonly traceparent?: string | undefined;
  /** What tracing systems add. It is passed on unchanged. */
  readonly tracestate?: string | undefined;
}

const shape = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:$|-)/;

/** The traceparent of a header, in version 00; undefined if it is invalid. */
export function parseTraceparent(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > 256) return undefined;
  const fields = shape.exec(header)?.[1];
  // Later versions may append fields to those of version 00, which itself allows none.
  if (fields === undefined || header.startsWith('00') !== (header.length === 55)) return undefined;
  return `00-${fields}`;
}

/** Longer ones may be dropped: https://www.w3.org/TR/trace-context/#tracestate-limits */
const tracestateLengthMax = 512;
const member = /^[a-z0-9][\w\-*/@]{0,255}=[\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

/** The tracestate of a header without spaces; undefined if it is invalid or long. */
export function parseTracestate(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length > tracestateLengthMax) return undefined;
  const members = header.split(',').map((each) => each.trim());
  const given = members.filter((each) => each !== '');
  return given.length > 0 && given.every((each) => member.test(each)) ? given.join(',') : undefined;
}

/** Whether spans of the trace are recorded. */
export const isSampled = (traceparent: string | undefined): traceparent is string =>
  traceparent !== undefined && oddDigits.includes(traceparent.at(-1)!);

/** As columns keep it: `traceparent` and `tracestate`, between them a space. Null if no span of the trace is recorded. */
export const traceText = ({ traceparent, tracestate }: TraceContext): string | null =>
  isSampled(traceparent) ? `${traceparent} ${tracestate ?? ''}`.trimEnd() : null;

/** The trace of a text of `traceText`; undefined if it is null or malformed. */
export function traceOfText(text: string | null): SampledTrace | undefined {
  const [first, second] = text?.split(' ') ?? [];
  const traceparent = parseTraceparent(first);
  const tracestate = parseTracestate(second);
  return traceparent === undefined
    ? undefined
    : { traceparent, ...(tracestate !== undefined && { tracestate }) };
}

interface SampledTrace {
  traceparent: string;
  tracestate?: string;
}

/** The last hexadecimal digit of the flags contains that of sampling as its lowest bit. */
const oddDigits = '13579bdf';

/** The same trace, of which no span is recorded. */
export const unsampled = (traceparent: string): string => `${traceparent.slice(0, -2)}00`;

/** Trace ID of a traceparent, for log lines. */
export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  traceparent?.slice(3, 35);
