import { Agent, request } from 'node:http';
import type { RunningRoster } from '../system/running-roster.js';
import { changeKey } from './moody-receiver.js';
import type { Random } from './random.js';

const inFlightMax = 128;
const answerTimeoutMs = 15_000;
const tickMs = 20;
const contactsMax = 5000;

interface KnownContact {
  id: string;
  email: string;
}

/**
 * Creates, updates and deletes contacts at a bounded rate, and knows of every change whether it was acknowledged. Of a change
 * that was cut off or answered 5xx nothing is known: its contact is left alone from then on.
 */
export class ChangeLoad {
  /** Keys of the changes that were answered 2xx, see `changeKey`. */
  readonly acknowledged = new Set<string>();
  /** Answers that contradict what was acknowledged before, or that no fault explains. */
  readonly wrongs: string[] = [];
  /** Answered 503 or 504, or not at all. */
  ambiguous = 0;
  readonly #roster: RunningRoster;
  readonly #random: Random;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: inFlightMax });
  readonly #contacts: KnownContact[] = [];
  readonly #timer: NodeJS.Timeout;
  #inFlight = 0;
  #sequence = 0;
  #idle: () => void = () => undefined;

  constructor(roster: RunningRoster, random: Random, perSecond: number) {
    this.#roster = roster;
    this.#random = random;
    let due = 0;
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      // What could not be sent while everything hung is not made up for.
      due = Math.min(due + ((now - last) / 1000) * perSecond, perSecond / 4);
      last = now;
      for (; due >= 1; due -= 1) if (this.#inFlight < inFlightMax) void this.#changeSomething();
    }, tickMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    this.#agent.destroy();
  }

  async #changeSomething(): Promise<void> {
    this.#inFlight += 1;
    try {
      const choice = this.#random.next();
      // Taken out while its change is under way: what comes of two at once is nobody's promise.
      const contact = choice < 0.5 ? undefined : this.#takeOne();
      if (!contact) await this.#create();
      else if (choice < 0.85) await this.#update(contact);
      else await this.#delete(contact);
    } catch {
      this.ambiguous += 1;
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle();
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
    else this.wrongs.push(`${what} was answered ${status}`);
    return false;
  }

  #keep(contact: KnownContact): void {
    if (this.#contacts.length < contactsMax) this.#contacts.push(contact);
  }

  #takeOne(): KnownContact | undefined {
    const at = Math.floor(this.#random.next() * this.#contacts.length);
    return this.#contacts.splice(at, 1)[0];
  }

  #send(method: string, path: string, body?: object): Promise<Answer> {
    const text = body && JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#roster.baseUrl}${path}`,
        {
          method,
          agent: this.#agent,
          timeout: answerTimeoutMs,
          headers: {
            authorization: `Bearer ${this.#roster.apiKey}`,
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
          response.on('end', () => {
            const status = response.statusCode!;
            resolve({
              status,
              body: JSON.parse(Buffer.concat(chunks).toString()) as Answer['body'],
            });
          });
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('no answer'))).on('error', reject);
      sent.end(text);
    });
  }
}

interface Answer {
  status: number;
  body: { contact?: { id: string } };
}
