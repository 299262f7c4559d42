import { readFile } from 'node:fs/promises';
import { encodeId, eventSubject } from '@roster/contracts';
import { connect, nkeyAuthenticator, type JetStreamClient } from 'nats';
import type { Logger } from 'pino';
import type { Database, Statement } from './database.js';
import type { Events, OutboxEvent } from './events.js';

const inFlightMax = 128;
const markEveryMs = 20;
const sweepEveryMs = 1000;

/**
 * Publishes events after their commit, marks their rows as published, and sweeps up events that a crash left
 * unpublished.
 */
export class Outbox implements Events {
  readonly #jetstream: JetStreamClient;
  readonly #database: Database;
  readonly #log: Logger;
  readonly #queue: OutboxEvent[] = [];
  #acknowledged: { event: OutboxEvent; sequence: number }[] = [];
  #inFlight = 0;

  private constructor(jetstream: JetStreamClient, database: Database, log: Logger) {
    this.#jetstream = jetstream;
    this.#database = database;
    this.#log = log;
    void this.#repeat(markEveryMs, () => this.#mark());
    void this.#repeat(sweepEveryMs, () => this.#sweep());
  }

  /** @param natsSeedFile of the contacts service, whose events these are */
  static async open(
    { natsUrl, natsSeedFile }: { natsUrl: string; natsSeedFile: string },
    database: Database,
    log: Logger,
  ): Promise<Outbox> {
    const seed = (await readFile(natsSeedFile, 'utf8')).trim();
    const nats = await connect({
      servers: natsUrl,
      authenticator: nkeyAuthenticator(Buffer.from(seed)),
      inboxPrefix: '_INBOX.contacts',
      maxReconnectAttempts: -1,
    });
    return new Outbox(nats.jetstream(), database, log);
  }

  publish(event: OutboxEvent): void {
    this.#queue.push(event);
    this.#pump();
  }

  #pump(): void {
    while (this.#inFlight < inFlightMax && this.#queue.length > 0) {
      this.#inFlight += 1;
      const event = this.#queue.shift()!;
      this.#send(event)
        .catch((err: unknown) =>
          this.#log.warn({ err }, 'publishing failed; the sweeper will publish the event'),
        )
        .finally(() => {
          this.#inFlight -= 1;
          this.#pump();
        });
    }
  }

  async #send(event: OutboxEvent): Promise<void> {
    const { seq } = await this.#jetstream.publish(
      eventSubject(encodeId('workspace', event.workspaceUuid), event.kind),
      event.body,
      { msgID: encodeId('event', event.id) },
    );
    this.#acknowledged.push({ event, sequence: seq });
  }

  async #mark(): Promise<void> {
    const acknowledged = this.#acknowledged;
    if (acknowledged.length === 0) return;
    this.#acknowledged = [];
    await this.#database.query(mark, [
      acknowledged.map(({ event }) => event.workspaceUuid),
      acknowledged.map(({ event }) => event.id),
      acknowledged.map(({ sequence }) => sequence),
    ]);
  }

  async #sweep(): Promise<void> {
    const rows = await this.#database.query<OutboxEvent>(unpublished, []);
    // The stream deduplicates events that are still queued here.
    for (const row of rows) await this.#send(row);
  }

  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    await work().catch((err: unknown) => this.#log.warn({ err }, 'the outbox failed'));
    setTimeout(() => void this.#repeat(everyMs, work), everyMs);
  }
}

const mark: Statement = {
  name: 'outbox.mark',
  text: `
    update contacts.outbox o set stream_seq = a.seq
    from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as a (workspace_id, id, seq)
    where o.workspace_id = a.workspace_id and o.id = a.id and coalesce(o.stream_seq, 0) = 0`,
};

const unpublished: Statement = {
  name: 'outbox.unpublished',
  text: `
    select id, workspace_id as "workspaceUuid", kind, body from contacts.outbox
    where stream_seq is null and created_at < now() - interval '10 seconds' limit 500`,
};
