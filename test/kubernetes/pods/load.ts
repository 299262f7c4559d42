import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface LoadOptions {
  baseUrl: string;
  apiKey: string;
  perSecond: number;
  answerTimeoutMs: number;
  /** How long a request that failed is repeated before it counts as unresolved. */
  repeatForMs: number;
}

/** A change that was answered 2xx, as its event will tell of it. */
export interface Change {
  event: 'CONTACT_CREATED' | 'CONTACT_UPDATED';
  contactId: string;
  name: string;
}

/** A request whose first attempt was not answered as it had to be. */
export interface Failure {
  at: string;
  operation: string;
  connection: 'kept' | 'fresh';
  /** A status, or the error of the connection. */
  outcome: string;
  ms: number;
}

/** What came of the requests that were started in a phase. */
export interface PhaseSummary {
  name: string;
  seconds: number;
  requests: number;
  /** Requests that were due, and not sent because too many had no answer yet. */
  unsent: number;
  failures: Failure[];
  /** Requests that were never answered as they had to be, however often they were repeated. */
  unresolved: number;
  p99Ms: number;
  slowestMs: number;
}

const tickMs = 20;
const inFlightMax = 256;
const repeatEveryMs = 250;
const contactsMax = 500;

/** The order of operations. Its length is odd, so that each takes kept and fresh connections in turn. */
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

/**
 * Constant load at a given rate, half of it over kept connections, half over fresh ones. The first attempt of every request is
 * recorded; one that failed is then repeated, a write with its Idempotency-Key, so that in the end it is known what was done.
 */
export class Load {
  /** What was acknowledged since the start. */
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
        if (this.#phase.inFlight < inFlightMax) void this.#ask(this.#phase);
        else this.#phase.unsent += 1;
    }, tickMs);
  }

  /** Requests started from now on belong to a new phase. Resolves when those of the phase before are over. */
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

  async #ask(phase: Phase): Promise<void> {
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
    // Taken out while it is updated: what comes of two updates at once is nobody's promise.
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

  #send(prepared: Prepared, connection: Failure['connection']): Promise<Answer> {
    const { method, path, body, headers } = prepared;
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const settle = (outcome: string, text = '') =>
        resolve({ outcome, body: text, ms: Math.round(performance.now() - startedAt) });
      const sent = request(
        `${this.#options.baseUrl}${path}`,
        {
          method,
          agent: connection === 'kept' ? this.#kept : false,
          headers: { authorization: `Bearer ${this.#options.apiKey}`, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', (error) => settle(describe(error)));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            settle(outcomeOf(response.statusCode!, path, text), text);
          });
        },
      );
      const timer = setTimeout(
        () => sent.destroy(new Error('no answer in time')),
        this.#options.answerTimeoutMs,
      );
      sent.on('error', (error) => settle(describe(error)));
      sent.on('close', () => clearTimeout(timer));
      sent.end(body);
    });
  }
}

type Operation = (typeof cycle)[number];

interface Prepared {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  expected: string;
}

interface Answer {
  outcome: string;
  body: string;
  ms: number;
}

const json = (body: object) => {
  const text = JSON.stringify(body);
  return {
    body: text,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    },
  };
};

/** Made once for all attempts: each carries the same key. */
function write(method: string, path: string, body: object, expected: string): Prepared {
  const { headers, ...rest } = json(body);
  return {
    method,
    path,
    expected,
    ...rest,
    headers: { ...headers, 'idempotency-key': randomUUID() },
  };
}

const create = (email: string) => write('POST', '/v1/contacts', { email }, '201');
const update = (id: string, name: string) => write('PUT', `/v1/contacts/${id}`, { name }, '200');

const read = (path: string): Prepared => ({ method: 'GET', path, headers: {}, expected: '200' });

const reads = {
  get: (id: string) => read(`/v1/contacts/${id}`),
  webhooks: () => read('/v1/webhooks'),
  me: () => read('/v1/users/me'),
  graphql: (id: string): Prepared => ({
    method: 'POST',
    path: '/graphql',
    expected: '200',
    ...json({ query: `{ contact(id: "${id}") { id email name } }` }),
  }),
};

/** The status. GraphQL answers 200 to what it could not do, too: then with the code, or with what it did not find. */
function outcomeOf(status: number, path: string, text: string): string {
  if (path !== '/graphql' || status !== 200) return String(status);
  const { data, errors } = JSON.parse(text) as GraphqlAnswer;
  if (errors) return `200 ${errors[0]?.extensions?.code}`;
  return data?.contact ? '200' : '200 without the contact';
}

interface GraphqlAnswer {
  data?: { contact?: object | null } | null;
  errors?: { extensions?: { code?: string } }[];
}

const describe = (error: Error & { code?: string }): string => error.code ?? error.message;

class Phase {
  inFlight = 0;
  unsent = 0;
  unresolved = 0;
  readonly #name: string;
  readonly #startedAt = performance.now();
  readonly #latencies: number[] = [];
  readonly #failures: Failure[] = [];
  #settled: () => void = () => undefined;

  constructor(name: string) {
    this.#name = name;
  }

  start(): () => void {
    this.inFlight += 1;
    return () => {
      this.inFlight -= 1;
      if (this.inFlight === 0) this.#settled();
    };
  }

  record(ms: number): void {
    this.#latencies.push(ms);
  }

  fail({ operation, connection, outcome, ms }: Omit<Failure, 'at'>): void {
    const at = new Date(Date.now() - ms).toISOString();
    this.#failures.push({ at, operation, connection, outcome, ms });
  }

  async end(): Promise<PhaseSummary> {
    const seconds = Math.round((performance.now() - this.#startedAt) / 100) / 10;
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.#settled = resolve));
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    return {
      name: this.#name,
      seconds,
      requests: sorted.length,
      unsent: this.unsent,
      failures: this.#failures,
      unresolved: this.unresolved,
      p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
      slowestMs: sorted.at(-1) ?? 0,
    };
  }
}
