import { changeKey } from './unreliable-receiver.js';
import type { Random } from './random.js';
import type { Answer, Send } from './rest-client.js';

/** Maximum number of requests in flight; further ones are not sent. */
export const inFlightMax = 128;
/** Changes are sent some at a time, so that statements and messages have several of their events. */
const tickMs = 200;
const contactsMax = 5000;

interface KnownContact {
  id: string;
  email: string;
}

export interface ChangeLoadOptions {
  send: Send;
  random: Random;
  perSecond: number;
  /** Share of requests that read, from 0 to 1. */
  reads?: number;
  /** Paths that are read in addition to contacts. */
  pages?: readonly string[];
}

/**
 * Creates, updates and deletes contacts at a bounded rate, and records whether each change was acknowledged. The outcome of
 * a change without a response or with a 5xx is unknown: its contact is not changed any more.
 */
export class ChangeLoad {
  /** Keys of the changes that were answered 2xx, see `changeKey`. */
  readonly acknowledged = new Set<string>();
  /** Responses that contradict an acknowledged change, or that no fault explains. */
  readonly contradictions: string[] = [];
  /** Changes answered 503 or 504, or without a response. */
  ambiguous = 0;
  /** Requests that were due, but not sent, because the maximum was in flight. */
  unsent = 0;
  readonly #send: Send;
  readonly #random: Random;
  readonly #reads: number;
  readonly #pages: readonly string[];
  readonly #contacts: KnownContact[] = [];
  readonly #timer: NodeJS.Timeout;
  #inFlight = 0;
  #sequence = 0;
  #idle: () => void = () => undefined;

  constructor({ send, random, perSecond, reads = 0, pages = [] }: ChangeLoadOptions) {
    this.#send = send;
    this.#random = random;
    this.#reads = reads;
    this.#pages = pages;
    let due = 0;
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      // Requests that were not sent during a stall are not sent later.
      due = Math.min(due + ((now - last) / 1000) * perSecond, perSecond / 4);
      last = now;
      for (; due >= 1; due -= 1)
        if (this.#inFlight < inFlightMax) void this.#sendChange();
        else this.unsent += 1;
    }, tickMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  async #sendChange(): Promise<void> {
    this.#inFlight += 1;
    try {
      if (this.#reads > 0 && this.#random.next() < this.#reads) await this.#readSomething();
      else await this.#changeSomething();
    } catch {
      this.ambiguous += 1;
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle();
    }
  }

  async #changeSomething(): Promise<void> {
    const choice = this.#random.next();
    // Removed during its change: the order of two concurrent changes is undefined.
    const contact = choice < 0.5 ? undefined : this.#takeOne();
    if (!contact) await this.#create();
    else if (choice < 0.85) await this.#update(contact);
    else await this.#delete(contact);
  }

  async #readSomething(): Promise<void> {
    const contact = this.#random.next() < 0.5 ? this.#takeOne() : undefined;
    if (!contact) {
      const path = this.#random.shuffled(this.#pages)[0];
      if (path) this.#check(await this.#send('GET', path), 200, `reading ${path}`);
      return;
    }
    try {
      const answer = await this.#send('GET', `/v1/contacts/${contact.id}`);
      if (!this.#check(answer, 200, `reading ${contact.id}`)) return;
      const { email } = answer.body.contact!;
      if (email !== contact.email) this.contradictions.push(`${contact.id} was read with ${email}`);
    } finally {
      this.#keep(contact);
    }
  }

  async #create(): Promise<void> {
    const email = `someone-${(this.#sequence += 1)}@example.com`;
    const answer = await this.#send('POST', '/v1/contacts', { email });
    if (!this.#check(answer, 201, `creating ${email}`)) return;
    const { id } = answer.body.contact!;
    this.acknowledged.add(changeKey('CONTACT_CREATED', id, ''));
    this.#keep({ id, email });
  }

  async #update(contact: KnownContact): Promise<void> {
    const name = `Name ${(this.#sequence += 1)}`;
    const answer = await this.#send('PUT', `/v1/contacts/${contact.id}`, { name });
    if (!this.#check(answer, 200, `updating ${contact.id}`)) return;
    this.acknowledged.add(changeKey('CONTACT_UPDATED', contact.id, name));
    this.#keep(contact);
  }

  async #delete(contact: KnownContact): Promise<void> {
    const answer = await this.#send('DELETE', `/v1/contacts/${contact.id}`);
    if (!this.#check(answer, 200, `deleting ${contact.id}`)) return;
    this.acknowledged.add(changeKey('CONTACT_DELETED', contact.id, ''));
  }

  #check({ status }: Answer, expected: number, what: string): boolean {
    if (status === expected) return true;
    if (status === 503 || status === 504) this.ambiguous += 1;
    else this.contradictions.push(`${what} was answered ${status}`);
    return false;
  }

  #keep(contact: KnownContact): void {
    if (this.#contacts.length < contactsMax) this.#contacts.push(contact);
  }

  #takeOne(): KnownContact | undefined {
    const at = Math.floor(this.#random.next() * this.#contacts.length);
    return this.#contacts.splice(at, 1)[0];
  }
}
