import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

export interface Received {
  eventId: string;
  contactId: string | undefined;
  kind: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A handler of webhooks on this machine. */
export class Handler {
  readonly received: Received[] = [];
  /** What it answers. `undefined`: nothing, ever. */
  answer: (event: Received) => number | undefined = () => 200;
  latencyMs = 0;
  #server: Server | undefined;
  #port = 0;

  static async start(): Promise<Handler> {
    const handler = new Handler();
    await handler.up();
    return handler;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  get ids(): string[] {
    return this.received.map(({ eventId }) => eventId);
  }

  async up(): Promise<void> {
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const body = (await buffer(request)).toString();
      const parsed = JSON.parse(body) as { event: string; data: { contact?: { id: string } } };
      const event = {
        eventId: String(request.headers['x-roster-event-id']),
        contactId: parsed.data.contact?.id,
        kind: parsed.event,
        headers: request.headers,
        body,
      };
      this.received.push(event);
      if (this.latencyMs > 0) await delay(this.latencyMs * (0.5 + Math.random()));
      const status = this.answer(event);
      if (status !== undefined) response.writeHead(status, { location: '/elsewhere' }).end('ok');
    };
    const server = createServer((request, response) => void answer(request, response));
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  down(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = undefined;
  }
}
