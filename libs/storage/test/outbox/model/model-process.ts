import type { Scheduler } from 'fast-check';
import { decodeId } from '@roster/contracts';
import { Wire } from '@roster/testing';
import { OutboxRelay } from '../../../outbox/relay.js';
import type { OutboxStream } from '../../../outbox/positions.js';
import type { Acknowledged, OutboxTable } from '../../../outbox/table.js';
import type { OutboxRow } from '../../../index.js';
import type { ModelStream } from './model-stream.js';
import type { ModelTable } from './model-table.js';
import { nameOf } from './model-events.js';

const silent = { debug: () => undefined, warn: () => undefined };
/** Small, so that several portions are required. */
const limits = { rowsMax: 3, requestsMax: 2 };
const sweepLimits = { rowsMax: 2, workspacesMax: 1, bytesMax: 1 };

/** One process of the service. It does on request what `Outbox` does on its timers and on changes of the link. */
export class ModelProcess {
  readonly #table: ModelTable;
  readonly #database: Wire;
  readonly #nats: Wire;
  readonly #relay: OutboxRelay;
  readonly #busy = new Set<string>();

  constructor(scheduler: Scheduler, name: string, table: ModelTable, stream: ModelStream) {
    this.#table = table;
    this.#database = new Wire(scheduler, `${name} to PostgreSQL`);
    this.#nats = new Wire(scheduler, `${name} to NATS`);
    this.#relay = new OutboxRelay({
      table: tableOver(this.#database, table, this),
      stream: streamOver(this.#nats, stream),
      log: silent,
      sweepAfterMs: 0,
      sweepLimits,
      onPublished: () => undefined,
    });
    this.reconcile();
  }

  /** A transaction with events commits. The process learns that later. */
  commit(events: readonly OutboxRow[]): void {
    const committed = this.#database.send(`commit ${events.map(nameOf).join(', ')}`, () =>
      this.#table.insert(events),
    );
    void committed.then(
      () => this.#relay.publish(events),
      () => undefined,
    );
  }

  mark(): void {
    this.#once('mark', () => this.#relay.mark());
  }

  sweep(): void {
    this.#once('sweep', () => this.#relay.sweep(() => true));
  }

  reconcile(): void {
    if (!this.#nats.isUp) return;
    this.#run(async () => {
      const result = await this.#relay.reconcile();
      if (typeof result === 'object') await result.run(() => true, limits);
    });
  }

  breakLink(): void {
    if (!this.#nats.isUp) return;
    this.#nats.break();
    this.#relay.linkChanged(false);
  }

  restoreLink(): void {
    if (this.#nats.isUp) return;
    this.#nats.restore();
    this.#relay.linkChanged(true);
    this.reconcile();
  }

  /** All connections to PostgreSQL are lost and opened again. */
  breakDatabase(): void {
    this.#database.break();
    this.#table.unlock(this);
    this.#database.restore();
  }

  /** The next statement is delayed, on its connection or in the queue for one. */
  stallStatement(): void {
    this.#database.stallNext('request');
  }

  stallMessage(): void {
    this.#nats.stallNext('request');
  }

  stallAcknowledgement(): void {
    this.#nats.stallNext('answer');
  }

  resume(): void {
    this.#database.resume();
    this.#nats.resume();
  }

  kill(): void {
    this.#database.cut();
    this.#nats.cut();
    this.resume();
    this.#relay.linkChanged(false);
    this.#table.unlock(this);
  }

  #once(task: string, work: () => Promise<void>): void {
    if (this.#busy.has(task)) return;
    this.#busy.add(task);
    this.#run(() => work().finally(() => this.#busy.delete(task)));
  }

  #run(work: () => Promise<void>): void {
    work().catch(() => undefined);
  }
}

function streamOver(wire: Wire, stream: ModelStream): OutboxStream {
  return {
    publish: ({ id }) =>
      wire.send(`publish ${nameOf({ id: decodeId('event', id)! })}`, () => stream.store(id)),
    tail: () => wire.send('tail', () => stream.tail()),
    messageAt: (sequence) => wire.send(`message at ${sequence}`, () => stream.at(sequence)),
  };
}

const marksOf = (acknowledged: readonly Acknowledged[]) =>
  acknowledged.map(({ row, sequence }) => ({ id: row.id, sequence }));

function tableOver(wire: Wire, table: ModelTable, process: ModelProcess): OutboxTable {
  return {
    mark: (acknowledged, epoch) =>
      wire.send(`mark ${describe(acknowledged)} in epoch ${epoch}`, () =>
        table.mark(marksOf(acknowledged), epoch),
      ),
    async sweep({ epoch, ...claim }, publish) {
      const isOpen = wire.session();
      const nothing = { events: [], reached: undefined };
      const { events, reached } = await wire.send('claim', () =>
        isOpen() ? table.lock(claim, process) : nothing,
      );
      const claimed = events.length;
      if (claimed === 0) return { claimed, marked: 0, events: 0, reached };
      const acknowledged = await publish(events);
      const marked = await wire.send(
        `mark swept ${describe(acknowledged)} in epoch ${epoch}`,
        () => {
          const isMarked = table.mark(marksOf(acknowledged), epoch);
          table.unlock(process);
          return isMarked ? acknowledged.length : 0;
        },
      );
      return { claimed, marked, events: marked, reached };
    },
    checkpoint: () => wire.send('read the checkpoint', () => table.checkpoint()),
    raise: (epoch) => wire.send(`end epoch ${epoch}`, () => table.raise(epoch)),
    advance: (epoch, positions) =>
      wire.send('advance the checkpoint', () => table.advance(epoch, positions)),
    newest: () => wire.send('read the newest mark', () => table.newest()),
    marked: (after, until, rowsMax) =>
      wire.send(`read marks from ${after.sequence} to ${until}`, () =>
        table.marked(after, until, rowsMax),
      ),
    unmark: (rows, epoch) =>
      wire.send(`take back ${rows.length} marks in epoch ${epoch}`, () =>
        table.unmark(rows, epoch),
      ),
    finish: (epoch, agreed) =>
      wire.send(`finish epoch ${epoch}`, () => table.finish(epoch, agreed)),
    abandon: (epoch) => wire.send(`abandon epoch ${epoch}`, () => table.abandon(epoch)),
  };
}

const describe = (acknowledged: readonly Acknowledged[]): string =>
  acknowledged.map(({ row, sequence }) => `${nameOf(row)} at ${sequence}`).join(', ') || 'nothing';
