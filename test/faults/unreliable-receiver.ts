import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.js';

/** One delivery that was received completely, whatever the response. */
export interface Arrival {
  webhookId: string;
  /** The change that its event describes, see `changeKey`. */
  change: string;
  bodyDigest: string;
  /** Whether a 2xx was written back. */
  accepted: boolean;
}

export type Reaction =
  | 'accept'
  | 'fail'
  | 'busy'
  | 'hang'
  | 'reset'
  | 'readSlowly'
  | 'answerSlowly';

/** The probability of each behaviour, by name. */
export const behaviours = {
  reliable: { accept: 1 },
  failing: { accept: 5, fail: 4, busy: 1 },
  hanging: { accept: 6, hang: 4 },
  resetting: { accept: 6, reset: 4 },
  slow: { accept: 4, readSlowly: 4, answerSlowly: 2 },
  unreliable: { accept: 6, fail: 1, busy: 1, hang: 1, reset: 1, readSlowly: 1, answerSlowly: 1 },
} satisfies Record<string, Partial<Record<Reaction, number>>>;
export type Behaviour = keyof typeof behaviours;

/** Identifies a change by its event: a contact is created and deleted once, and each update has a unique name. */
export const changeKey = (kind: string, contactId: string, name: string): string =>
  kind === 'CONTACT_UPDATED' ? `${kind} ${contactId} ${name}` : `${kind} ${contactId}`;

/** A webhook endpoint on loopback that behaves randomly until `calmDown` is called. Logs every request. */
export class UnreliableReceiver {
  readonly behaviour: Behaviour;
  readonly arrivals: Arrival[] = [];
  readonly #server = createServer((request, response) => {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    void this.#receive(request, response).catch(() => undefined);
  });
  readonly #random: Random;
  #calm = false;

  constructor(behaviour: Behaviour, random: Random) {
    this.behaviour = behaviour;
    this.#random = random;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** From now on it accepts every request immediately. */
  calmDown(): void {
    this.#calm = true;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reaction = this.#calm ? 'accept' : this.#nextReaction();
    // Half of the resets occur before the body is read.
    if (reaction === 'reset' && this.#random.next() < 0.5)
      return void request.socket.resetAndDestroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (reaction === 'readSlowly') await delay(this.#random.between(50, 400));
      chunks.push(chunk);
    }
    const arrival = this.#note(request, Buffer.concat(chunks));
    switch (reaction) {
      case 'reset':
        return void request.socket.resetAndDestroy();
      case 'hang':
        return;
      case 'fail':
        return void response.writeHead(500).end('out of order');
      case 'busy':
        return void response.writeHead(503, { 'retry-after': '1' }).end();
      case 'answerSlowly':
        response.writeHead(200, { 'content-length': '6' });
        for (let sent = 0; sent < 6; sent += 1) {
          response.write('.');
          await delay(this.#random.between(20, 100));
        }
        arrival.accepted = true;
        return void response.end();
      case 'accept':
      case 'readSlowly':
        arrival.accepted = true;
        return void response.end('ok');
    }
  }

  #note(request: IncomingMessage, raw: Buffer): Arrival {
    const { event, data } = JSON.parse(raw.toString('utf8')) as EventBody;
    const arrival = {
      webhookId: String(request.headers['webhook-id']),
      change: changeKey(event, data.contact.id, data.contact.name),
      bodyDigest: createHash('sha1').update(raw).digest('base64'),
      accepted: false,
    };
    this.arrivals.push(arrival);
    return arrival;
  }

  #nextReaction(): Reaction {
    const weights = Object.entries(behaviours[this.behaviour]) as [Reaction, number][];
    let left = this.#random.next() * weights.reduce((sum, [, weight]) => sum + weight, 0);
    return weights.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'accept';
  }
}

export interface EventBody {
  event: string;
  data: { contact: { id: string; name: string } };
}
