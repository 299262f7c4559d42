import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { exchange, type Answer } from './load-exchange.js';
import { Phase, type Connection, type PhaseSummary } from './load-phase.js';
import { create, reads, update, type Prepared } from './load-requests.js';

export interface LoadOptions {
  baseUrl: string;
  apiKey: string;
  perSecond: number;
  answerTimeoutMs: number;
  /** How long a failed request is repeated before it counts as unresolved. */
  repeatForMs: number;
}

/** A change that was answered 2xx, with the fields of its event. */
export interface Change {
  event: 'CONTACT_CREATED' | 'CONTACT_UPDATED';
  contactId: string;
  name: string;
}

const tickMs = 20;
const inFlightMax = 256;
const repeatEveryMs = 250;
const contactsMax = 500;

/** The order of operations. Its length is odd, so that each operation alternates between kept and fresh connections. */
const cycle = [
  'create',
  'get',
  'graphql',
  'create',
  'update',
  'webhooks',
  'create',
  'get',
  'me',
] as const;

type Operation = (typeof cycle)[number];

/**
 * Constant load at a given rate, half of it over kept connections, half over fresh ones. The first attempt of every
 * request is recorded. A failed one is then repeated, a write with its Idempotency-Key, until its outcome is known.
 */
export class Load {
  /** Changes acknowledged since the start. */
  readonly acknowledged: Change[] = [];
  readonly #options: LoadOptions;
  readonly #kept = new Agent({ keepAlive: true, maxSockets: 8, scheduling: 'fifo' });
  readonly #contacts: string[] = [];
  readonly #timer: NodeJS.Timeout;
  #phase = new Phase('start');
  #sequence = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    let due = 0;
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      due = Math.min(due + ((now - last) / 1000) * options.perSecond, options.perSecond);
      last = now;
      for (; due >= 1; due -= 1)
        if (this.#phase.inFlight < inFlightMax) void this.#sendNext(this.#phase);
        else this.#phase.unsent += 1;
    }, tickMs);
  }

  /** Starts a new phase. Resolves when all requests of the previous one have their outcome. */
  async begin(name: string): Promise<PhaseSummary> {
    const ended = this.#phase;
    this.#phase = new Phase(name);
    return ended.end();
  }

  async stop(): Promise<PhaseSummary> {
    clearInterval(this.#timer);
    const summary = await this.#phase.end();
    this.#kept.destroy();
    return summary;
  }

  async #sendNext(phase: Phase): Promise<void> {
    const sequence = (this.#sequence += 1);
    const connection = sequence % 2 === 0 ? 'kept' : 'fresh';
    const { operation, prepared, contact } = this.#choose(sequence);
    const done = phase.start();
    const deadline = performance.now() + this.#options.repeatForMs;
    let answer = await this.#send(prepared, connection);
    phase.record(answer.ms);
    if (answer.outcome !== prepared.expected) phase.fail({ operation, connection, ...answer });
    while (answer.outcome !== prepared.expected && performance.now() < deadline) {
      await delay(repeatEveryMs);
      answer = await this.#send(prepared, connection);
    }
    if (answer.outcome === prepared.expected) this.#acknowledge(operation, answer.body, contact);
    else phase.unresolved += 1;
    done();
  }

  #choose(sequence: number): { operation: Operation; prepared: Prepared; contact?: string } {
    const operation = cycle[sequence % cycle.length]!;
    // Removed during its update: the order of two concurrent updates is undefined.
    const contact = this.#contacts.shift();
    if (operation === 'create' || contact === undefined) {
      if (contact !== undefined) this.#keep(contact);
      return { operation: 'create', prepared: create(`load-${randomUUID()}@example.com`) };
    }
    if (operation === 'update')
      return { operation, contact, prepared: update(contact, `Name ${sequence}`) };
    this.#keep(contact);
    return { operation, prepared: reads[operation](contact) };
  }

  #acknowledge(operation: Operation, body: string, contact: string | undefined): void {
    if (operation !== 'create' && operation !== 'update') return;
    const { id, name } = (JSON.parse(body) as { contact: { id: string; name: string } }).contact;
    const event = operation === 'create' ? 'CONTACT_CREATED' : 'CONTACT_UPDATED';
    this.acknowledged.push({ event, contactId: id, name });
    this.#keep(contact ?? id);
  }

  #keep(contact: string): void {
    if (this.#contacts.length < contactsMax) this.#contacts.push(contact);
  }

  #send(prepared: Prepared, connection: Connection): Promise<Answer> {
    const { baseUrl: url, apiKey, answerTimeoutMs: timeoutMs } = this.#options;
    const agent = connection === 'kept' && this.#kept;
    return exchange(prepared, { url, apiKey, agent, timeoutMs });
  }
}
