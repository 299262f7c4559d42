import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fieldsOf, type Fields } from './protobuf-fields.js';

export interface ReceivedSpan {
  /** Attributes of the process. */
  resource: Record<string, AttributeValue>;
  traceId: string;
  spanId: string;
  traceState: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  /** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, AttributeValue>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
}

type AttributeValue = string | number | boolean | undefined;

export interface OtlpReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans: ReceivedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders }[];
  stop(): Promise<void>;
}

/** A collector: receives traces as protobuf over HTTP, and keeps their spans. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpReceiver['requests'] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      requests.push({ path: request.url!, headers: request.headers });
      spans.push(...spansIn(Buffer.concat(parts)));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const spansIn = (request: Buffer): ReceivedSpan[] =>
  fieldsOf(request)
    .messages(1)
    .flatMap((ofResource) => {
      const resource = attributesIn(ofResource.messages(1).flatMap((each) => each.messages(1)));
      return ofResource
        .messages(2)
        .flatMap((ofScope) => ofScope.messages(2).map((span) => ({ resource, ...spanOf(span) })));
    });

const spanOf = (span: Fields): Omit<ReceivedSpan, 'resource'> => ({
  traceId: span.hex(1),
  spanId: span.hex(2),
  traceState: span.text(3),
  parentSpanId: span.hex(4),
  name: span.text(5),
  kind: Number(span.number(6)),
  startNs: span.number(7),
  endNs: span.number(8),
  attributes: attributesIn(span.messages(9)),
  links: span.messages(13).map((link) => ({ traceId: link.hex(1), spanId: link.hex(2) })),
  isError: span.messages(15).some((status) => status.number(3) === 2n),
});

const attributesIn = (pairs: readonly Fields[]): Record<string, AttributeValue> =>
  Object.fromEntries(pairs.map((pair) => [pair.text(1), valueOf(pair.messages(2)[0]!)]));

function valueOf(value: Fields): AttributeValue {
  if (value.has(1)) return value.text(1);
  if (value.has(2)) return value.number(2) === 1n;
  return value.has(3) ? Number(value.number(3)) : undefined;
}
