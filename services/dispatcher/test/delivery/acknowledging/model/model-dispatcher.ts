import type { Scheduler } from 'fast-check';
import { OutcomeUnknown } from '@roster/bus';
import { decodeId } from '@roster/contracts';
import type { Database } from '@roster/storage';
import { Wire } from '@roster/testing';
import type { ReceiverConnections } from '../../../../attempt/receiver-connections.js';
import { AttemptAdmission } from '../../../../delivery/attempt-admission.js';
import { Circuits } from '../../../../delivery/circuits.js';
import { Deliverer, type DelivererOptions } from '../../../../delivery/deliverer.js';
import { dispatchEvents } from '../../../../delivery/dispatch-events.js';
import { Recorder } from '../../../../delivery/recorder.js';
import { AttemptsInFlight } from '../../../../slots/attempts-in-flight.js';
import { RateLimits } from '../../../../slots/rate-limits.js';
import { Slots } from '../../../../slots/slots.js';
import { countAttempts } from '../../../../delivery/count-attempts.js';
import type { Subscriptions } from '../../../../webhooks/subscriptions.js';
import { WorkspaceWebhooks } from '../../../../webhooks/workspace-webhooks.js';
import type { Partitions } from '../../../../queue/partitions.js';
import { recordOutcomes } from '../../../../queue/record-outcomes.js';
import { ModelConsumer } from './model-consumer.js';
import { webhooks } from './model-events.js';
import type { ModelReceiver } from './model-receiver.js';
import type { ModelStream } from './model-stream.js';
import type { ModelTables } from './model-tables.js';

interface Surroundings {
  tables: ModelTables;
  stream: ModelStream;
  receiver: ModelReceiver;
  inFlightMax: number;
}

const many = 1000;
const subscribed = new WorkspaceWebhooks(webhooks);

/** A dispatcher process: everything between the connections to the stream, the tables and the receiver is its code. */
export class ModelDispatcher {
  readonly #nats: Wire;
  readonly #database: Wire;
  readonly #http: Wire;
  readonly #consumer: ModelConsumer;

  constructor(scheduler: Scheduler, name: string, surroundings: Surroundings) {
    const { tables, stream, receiver, inFlightMax } = surroundings;
    this.#nats = new Wire(scheduler, `${name} to NATS`);
    this.#database = new Wire(scheduler, `${name} to PostgreSQL`);
    this.#http = new Wire(scheduler, `${name} to the receiver`);
    const database = databaseOver(this.#database, tables);
    const recorder = recorderOn(database, partitionsOver(this.#database, tables));
    const handle = dispatchEvents({
      ...{
        database,
        recorder,
        subscriptions: { of: () => subscribed } as unknown as Subscriptions,
      },
      deliverer: delivererOf(recorder, connectionsOver(this.#http, receiver)),
    });
    this.#consumer = new ModelConsumer(this.#nats, stream, { inFlightMax, handle });
  }

  get isLinked(): boolean {
    return this.#nats.isUp;
  }

  get handled(): string[] {
    return this.#consumer.handled;
  }

  pull(): void {
    this.#consumer.pull();
  }

  breakLink(): void {
    this.#nats.break();
    this.#consumer.changeLink();
  }

  restoreLink(): void {
    if (this.#nats.isUp) return;
    this.#nats.restore();
    this.#consumer.changeLink();
  }

  /** Interrupts and restores every connection to PostgreSQL. */
  breakDatabase(): void {
    this.#database.break();
    this.#database.restore();
  }

  stallAcknowledgement(): void {
    this.#nats.stallNext('request');
  }

  heal(): void {
    this.#nats.resume();
    this.restoreLink();
  }

  kill(): void {
    for (const wire of [this.#nats, this.#database, this.#http]) wire.cut();
    this.#nats.resume();
  }
}

const databaseOver = (wire: Wire, tables: ModelTables): Database =>
  ({
    query: (statement: Parameters<Database['query']>[0], values: readonly unknown[]) =>
      wire
        .send(statement.name, () => attempted(() => tables.query(statement, values)))
        .then(
          (result) => result(),
          (cause: unknown) => {
            throw new OutcomeUnknown('lost the connection', { reason: 'lost', cause });
          },
        ),
  }) as unknown as Database;

/** An error of PostgreSQL is an answer, unlike a lost connection. */
function attempted<T>(effect: () => T): () => T {
  try {
    const result = effect();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** As `Partitions`: a known day is not looked up. */
function partitionsOver(wire: Wire, tables: ModelTables): Partitions {
  let isKnown = false;
  return {
    ensure: async () => {
      if (isKnown) return;
      await wire.send('make the partition', () => tables.makePartition());
      isKnown = true;
    },
    forget: () => (isKnown = false),
  } as unknown as Partitions;
}

const recorderOn = (database: Database, partitions: Partitions): Recorder =>
  new Recorder({
    write: (outcomes) => recordOutcomes(database, partitions, outcomes),
    count: (outcomes) => countAttempts(database, outcomes),
    log: { warn: () => undefined },
  });

/** Connections to a receiver that answers 200. */
const connectionsOver = (wire: Wire, receiver: ModelReceiver): ReceiverConnections =>
  ({
    acquire: () => ({
      exchange: async ({ headers }: { headers: Record<string, string> }) => {
        const id = decodeId('delivery', headers['webhook-id']!)!;
        await wire.send(`POST ${id}`, () => receiver.hit(id));
        return true;
      },
      answer: { ...{ statusCode: 200, firstByteAt: 1, headers: {}, text: '', retryAfter: null } },
      end: () => undefined,
    }),
    giveBack: () => undefined,
    drop: () => undefined,
  }) as unknown as ReceiverConnections;

function delivererOf(recorder: Recorder, connections: ReceiverConnections): Deliverer {
  const circuits = new Circuits({ openSeconds: 5, openSecondsMax: 5 });
  const inFlight = new AttemptsInFlight({ perWebhookMax: many, perTargetMax: many });
  const limits = { totalMax: many, slowMax: many, yielded: 0, waitingMax: 0, waitingTotalMax: 0 };
  const slots = new Slots({ ...limits, waitMs: 1 }, inFlight);
  const { targets } = inFlight;
  const nothing = () => undefined;
  return new Deliverer({
    ...{ recorder, connections, serviceName: 'Roster', scheduleSeconds: [5], timeoutMs: 15_000 },
    admission: new AttemptAdmission({
      circuits,
      slots,
      targets,
      rates: new RateLimits({ grant: async () => 0 }),
      mayProbe: false,
    }),
    health: { note: nothing },
    activity: { circuitChanged: nothing },
    metrics: { attempted: nothing, finished: nothing },
  } as unknown as DelivererOptions);
}
