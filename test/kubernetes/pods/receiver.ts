import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery with a valid signature. */
export interface ReceivedEvent {
  event: string;
  contactId: string;
  name: string;
}

/** The records of an endpoint. */
export interface ReceiverReport {
  /** Each webhook-id once. */
  events: ReceivedEvent[];
  /** Repeated deliveries. */
  repeated: number;
  /** Requests with an invalid signature. */
  forged: number;
}

/** A webhook endpoint that verifies both signatures over the raw body and records every event. */
export async function startReceiver(
  token: string,
  port: number,
  host: string,
): Promise<{ port: number; report(): ReceiverReport; stop(): void }> {
  const events = new Map<string, ReceivedEvent>();
  let repeated = 0;
  let forged = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (request.method !== 'POST') {
        // The readiness probe.
        response.end();
      } else if (isGenuine(request.headers, body, token)) {
        const id = String(request.headers['webhook-id']);
        if (events.has(id)) repeated += 1;
        events.set(id, read(body));
        response.end();
      } else {
        forged += 1;
        response.writeHead(401).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    report: () => ({ events: [...events.values()], repeated, forged }),
    stop: () => server.close().closeAllConnections(),
  };
}

function isGenuine(headers: IncomingHttpHeaders, body: Buffer, token: string): boolean {
  const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.`;
  const hmac = (...parts: (string | Buffer)[]) =>
    parts.reduce((hash, part) => hash.update(part), createHmac('sha256', token));
  return (
    matches(headers['x-roster-signature'], hmac(body).digest('hex')) &&
    matches(headers['webhook-signature'], `v1,${hmac(signed, body).digest('base64')}`)
  );
}

function matches(given: string | string[] | undefined, expected: string): boolean {
  const [left, right] = [Buffer.from(String(given)), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function read(body: Buffer): ReceivedEvent {
  const { event, data } = JSON.parse(body.toString('utf8')) as {
    event: string;
    data: { contact: { id: string; name: string } };
  };
  return { event, contactId: data.contact.id, name: data.contact.name };
}
