import { FailureLog } from '@roster/bus';
import type { Log } from '../log.js';
import { messageOf, type OutboxEvent } from './event.js';
import type { LeftWorkspace } from './left-events.js';
import { OutboxPublisher } from './publisher.js';
import { reconcile, type Comparison } from './reconciliation.js';
import type { OutboxStream } from './stream.js';
import type { Acknowledged, Claim, OutboxTable } from './table.js';

export interface SweepLimits {
  /** Maximum number of rows that are claimed at once. */
  rowsMax: number;
  /** Maximum number of workspaces that take a turn at once. */
  workspacesMax: number;
  /** Maximum number of rows of each in its turn. */
  workspaceRowsMax: number;
}

const sweepLimits: SweepLimits = { rowsMax: 500, workspacesMax: 10, workspaceRowsMax: 50 };

export interface RelayOptions {
  table: OutboxTable;
  stream: OutboxStream;
  log: Pick<Log, 'debug' | 'warn'>;
  /** Age of an unpublished row at which the sweeper takes it. */
  sweepAfterMs: number;
  sweepLimits?: SweepLimits;
  /** Called with the number of events that were marked as published, and the publishing path. */
  onPublished: (count: number, way: 'fast' | 'swept') => void;
}

/**
 * Publishes the events of the table, and records the acknowledgements of the stream in the table. It has no timers and no
 * connection: `Outbox` decides when something is done, and whether the link is up.
 *
 * The table stays correct whatever happens in between: an acknowledgement belongs to the epoch in which its event was
 * published, the table refuses it once the epoch is over, and every comparison with the stream begins an epoch.
 */
export class OutboxRelay {
  readonly #options: RelayOptions;
  readonly #publisher: OutboxPublisher;
  readonly #markFailures: FailureLog;
  readonly #limits: SweepLimits;
  #up = true;
  #marking: Promise<void> = Promise.resolve();

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#limits = options.sweepLimits ?? sweepLimits;
    this.#publisher = new OutboxPublisher(options);
    this.#markFailures = new FailureLog(options.log, 'failed to mark events as published');
  }

  get isOpen(): boolean {
    return this.#publisher.isOpen;
  }

  /** Whether no event is left to be published, acknowledged or marked. */
  get isIdle(): boolean {
    return this.#publisher.isIdle;
  }

  /** The link was lost or restored. Nothing is published until `reconcile`. */
  linkChanged(up: boolean): void {
    this.#up = up;
    this.#publisher.close();
  }

  /** Publishes events whose rows are committed. Returns immediately; failed events are left to the sweeper. */
  publish(events: readonly OutboxEvent[]): void {
    this.#publisher.publish(events);
  }

  /** Resolves when the queued events are published. */
  drain(): Promise<void> {
    return this.#publisher.drain();
  }

  /** Reads the state of the stream, and enables publishing in the current epoch. */
  async reconcile(): Promise<'agreed' | 'elsewhere' | Comparison> {
    const { epoch, result } = await reconcile(this.#options);
    this.#open(epoch);
    return result;
  }

  /** Marks the acknowledged events, one statement at a time. */
  mark(): Promise<void> {
    this.#marking = this.#marking
      .then(() => this.#mark())
      // The sweeper publishes them again, and the stream drops the duplicates.
      .catch((error: unknown) => this.#markFailures.warn(error));
    return this.#marking;
  }

  async #mark(): Promise<void> {
    const acknowledged = this.#publisher.takeAcknowledged();
    if (acknowledged.length === 0) return;
    const { table, onPublished } = this.#options;
    const { epoch } = this.#publisher;
    if (await table.mark(acknowledged, epoch)) onPublished(acknowledged.length, 'fast');
    else await this.#follow();
  }

  /**
   * Publishes rows that no process is publishing: their process died, NATS was unreachable, or the stream lost them. Two
   * sweepers never take the same row. The oldest rows are taken first. If that leaves others, workspaces take turns meanwhile, so
   * that events of one do not wait for all older ones of another.
   *
   * @param shouldContinue whether to continue with further rows
   */
  async sweep(shouldContinue: () => boolean): Promise<void> {
    const { rowsMax } = this.#limits;
    const { left } = this.#publisher;
    while (this.isOpen && shouldContinue()) {
      const { events, marked } = await this.#sweepSome({ rowsMax });
      if (events.length < rowsMax) left.clear();
      if (events.length < rowsMax || marked === 0) return;
      await this.#takeTurns(events);
    }
  }

  /** @param swept the oldest events: their workspaces take no turn */
  async #takeTurns(swept: readonly OutboxEvent[]): Promise<void> {
    const { workspacesMax, workspaceRowsMax: rowsMax } = this.#limits;
    const { left } = this.#publisher;
    const served = new Set(swept.map(({ workspaceId }) => workspaceId));
    const workspaces = left.take(workspacesMax, served);
    if (workspaces.length === 0) return;
    let unfinished = workspaces;
    try {
      const { events, marked } = await this.#sweepSome({ rowsMax, workspaces });
      if (events.length === 0 || marked > 0) unfinished = afterTurn(events, rowsMax);
    } finally {
      for (const workspace of unfinished) left.add(workspace);
    }
  }

  async #sweepSome(
    some: Pick<Claim, 'rowsMax' | 'workspaces'>,
  ): Promise<{ events: readonly OutboxEvent[]; marked: number }> {
    const { table, sweepAfterMs, onPublished } = this.#options;
    const claim = { ...some, olderThanMs: sweepAfterMs, epoch: this.#publisher.epoch };
    let events: readonly OutboxEvent[] = [];
    const marked = await table.sweep(claim, (claimed) => {
      events = claimed;
      return this.#republish(claimed);
    });
    onPublished(marked, 'swept');
    if (events.length > 0 && marked === 0) await this.#follow();
    return { events, marked };
  }

  async #republish(events: readonly OutboxEvent[]): Promise<Acknowledged[]> {
    const { stream } = this.#options;
    const sent = await Promise.allSettled(
      events.map((event) => stream.publish({ ...messageOf(event), republished: true })),
    );
    return events.flatMap((event, at) => {
      const outcome = sent[at]!;
      return outcome.status === 'fulfilled' ? [{ event, sequence: outcome.value }] : [];
    });
  }

  /** Another process may have begun an epoch. */
  async #follow(): Promise<void> {
    const { epoch } = await this.#options.table.checkpoint();
    this.#open(epoch);
  }

  #open(epoch: number): void {
    if (this.#up) this.#publisher.open(epoch);
  }
}

/** The workspaces that may have more events than those of their turn. */
function afterTurn(events: readonly OutboxEvent[], rowsMax: number): LeftWorkspace[] {
  const turns = Map.groupBy(events, ({ workspaceId }) => workspaceId);
  return [...turns]
    .filter(([, { length }]) => length === rowsMax)
    .map(([workspaceId, own]) => ({ workspaceId, firstId: own.at(-1)!.id }));
}
