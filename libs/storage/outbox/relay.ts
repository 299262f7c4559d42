import { FailureLog } from '@roster/bus';
import type { Log } from '@roster/process';
import { countOf, messageOf, type OutboxRow } from './event.js';
import { OutboxPublisher } from './publisher.js';
import { publishTraced } from './publish-spans.js';
import { reconcile, type Comparison } from './reconciliation.js';
import type { OutboxStream } from './positions.js';
import type { Acknowledged, OutboxTable, Swept } from './table.js';

export interface SweepLimits {
  /** Maximum number of rows that are claimed at once, and of workspaces that share them. */
  rowsMax: number;
  workspacesMax: number;
  /** Their bytes: see `Claim`. */
  bytesMax: number;
}

const sweepLimits: SweepLimits = {
  ...{ rowsMax: 500, workspacesMax: 500 },
  bytesMax: 8 * 1024 * 1024,
};
/** Lower than every workspace. */
const startOfWorkspaces = '00000000-0000-0000-0000-000000000000';

export interface RelayOptions {
  table: OutboxTable;
  stream: OutboxStream;
  log: Pick<Log, 'debug' | 'warn'>;
  /** Age of an unpublished row at which the sweeper takes it. */
  sweepAfterMs: number;
  sweepLimits?: SweepLimits;
  /** See `OutboxPublisher`. */
  isOtherActive?: ((workspaceId: string) => boolean) | undefined;
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
  #isBatching = false;
  /** The last workspace that had a turn in a sweep. */
  #reached = startOfWorkspaces;
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

  /** Whether a row may have several events: false until the state of the outbox is known. */
  get isBatching(): boolean {
    return this.#isBatching;
  }

  /** The link was lost or restored. Nothing is published until `reconcile`. */
  linkChanged(up: boolean): void {
    this.#up = up;
    this.#publisher.close();
  }

  /** Publishes events whose rows are committed. Returns immediately; failed events are left to the sweeper. */
  publish(rows: readonly OutboxRow[]): void {
    this.#publisher.publish(rows);
  }

  /** Resolves when the queued events are published. */
  drain(): Promise<void> {
    return this.#publisher.drain();
  }

  /** Reads the state of the stream, and enables publishing in the current epoch. */
  async reconcile(): Promise<'agreed' | 'elsewhere' | Comparison> {
    const { epoch, isBatching, result } = await reconcile(this.#options);
    this.#isBatching = isBatching;
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
    const events = acknowledged.reduce((sum, { row }) => sum + countOf(row), 0);
    if (await table.mark(acknowledged, epoch)) onPublished(events, 'fast');
    else await this.#follow();
  }

  /**
   * Publishes rows that no process is publishing: their process died, NATS was unreachable, or the stream lost them. Two
   * sweepers never take the same row. Workspaces take turns, so that events of one do not wait for all older ones of another.
   * Returns when no workspace has rows left, or when none could be published. The next sweep continues after the workspace that
   * this one reached.
   *
   * @param shouldContinue whether to continue with further rows
   */
  async sweep(shouldContinue: () => boolean): Promise<void> {
    let isFound = false;
    while (this.isOpen && shouldContinue()) {
      const { claimed, marked, reached } = await this.#sweepSome();
      this.#reached = reached ?? startOfWorkspaces;
      if (claimed > 0 && marked === 0) return;
      isFound ||= claimed > 0;
      if (reached !== undefined) continue;
      if (!isFound) return;
      isFound = false;
    }
  }

  async #sweepSome(): Promise<Swept> {
    const { table, sweepAfterMs: olderThanMs, onPublished } = this.#options;
    const { epoch } = this.#publisher;
    const claim = { ...this.#limits, olderThanMs, after: this.#reached, epoch };
    const swept = await table.sweep(claim, (rows) => this.#republish(rows));
    onPublished(swept.events, 'swept');
    if (swept.claimed > 0 && swept.marked === 0) await this.#follow();
    return swept;
  }

  async #republish(rows: readonly OutboxRow[]): Promise<Acknowledged[]> {
    const { stream } = this.#options;
    const sent = await Promise.allSettled(
      // Async: a row of which no message can be made is not published, and the others are.
      rows.map((row) =>
        publishTraced(row, async (traced) =>
          stream.publish({ ...messageOf(traced), republished: true }),
        ),
      ),
    );
    return rows.flatMap((row, at) => {
      const outcome = sent[at]!;
      return outcome.status === 'fulfilled' ? [{ row, sequence: outcome.value }] : [];
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
