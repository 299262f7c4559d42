import type { Log } from '@roster/process';
import { countOf, messageOf, type OutboxRow } from './event.js';
import { EventQueue } from './event-queue.js';
import { publishTraced } from './publish-spans.js';
import type { OutboxStream } from './positions.js';
import type { Acknowledged, OutboxTable } from './table.js';

/** No further row is published while so many events are in flight. */
const inFlightMax = 128;
/**
 * Maximum number of those of one workspace while others are active. Many at once, as after a batch of contacts, would keep this
 * process, NATS and the consumers busy, and the calls of others wait for all of these.
 */
const workspaceInFlight = 16;
/** Number of queued events of a workspace for each further one in flight, so that it keeps up with its changes. */
const queuedPerInFlight = 128;

interface Parts {
  table: OutboxTable;
  stream: OutboxStream;
  log: Pick<Log, 'debug'>;
  /** Whether other workspaces than this one (a UUID) are active. By default, none is. */
  isOtherActive?: ((workspaceId: string) => boolean) | undefined;
}

/** Publishes events after their commit, and collects the sequences that the stream acknowledged. */
export class OutboxPublisher {
  readonly #parts: Parts;
  readonly #queue = new EventQueue();
  /** All belong to the current epoch. */
  #acknowledged: Acknowledged[] = [];
  #epoch = 0;
  #inFlight = 0;
  /** By workspace. */
  readonly #inFlightOf = new Map<string, number>();
  #open = false;
  #idle: (() => void)[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** False from the loss of the link until the current epoch is known. */
  get isOpen(): boolean {
    return this.#open;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Whether no event is queued or in flight, and no acknowledgement is left to take. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#inFlight === 0 && this.#acknowledged.length === 0;
  }

  /** Ignored if the epoch is over. */
  open(epoch: number): void {
    this.#open = true;
    if (epoch <= this.#epoch) return;
    this.#epoch = epoch;
    // Their marks would be refused. The sweeper publishes these events again, and the stream drops the duplicates.
    this.#acknowledged = [];
  }

  /** Drops the queue; the sweeper publishes its events. */
  close(): void {
    this.#open = false;
    this.#queue.clear();
  }

  /** Returns immediately; failed events are left to the sweeper. */
  publish(rows: readonly OutboxRow[]): void {
    if (this.#open) for (const row of rows) this.#queue.add(row);
    this.#pump();
  }

  /** Resolves when nothing is queued or in flight. */
  async drain(): Promise<void> {
    if (this.#open && (this.#inFlight > 0 || this.#queue.length > 0))
      await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Returns and clears the acknowledgements collected since the last call. */
  takeAcknowledged(): Acknowledged[] {
    const acknowledged = this.#acknowledged;
    this.#acknowledged = [];
    return acknowledged;
  }

  #pump(): void {
    while (this.#open && this.#inFlight < inFlightMax) {
      const row = this.#queue.take(this.#isTurnOf);
      if (!row) break;
      void this.#publishOne(row);
    }
    if (this.#inFlight === 0 && (this.#queue.length === 0 || !this.#open)) {
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  readonly #isTurnOf = (workspaceId: string, queued: number): boolean => {
    const own = this.#inFlightOf.get(workspaceId) ?? 0;
    if (own < workspaceInFlight + queued / queuedPerInFlight) return true;
    return !this.#parts.isOtherActive?.(workspaceId);
  };

  #countInFlight(workspaceId: string, change: number): void {
    this.#inFlight += change;
    const own = (this.#inFlightOf.get(workspaceId) ?? 0) + change;
    if (own > 0) this.#inFlightOf.set(workspaceId, own);
    else this.#inFlightOf.delete(workspaceId);
  }

  async #publishOne(row: OutboxRow): Promise<void> {
    const { stream, log } = this.#parts;
    const epoch = this.#epoch;
    const count = countOf(row);
    this.#countInFlight(row.workspaceId, count);
    try {
      const sequence = await publishTraced(row, (traced) => stream.publish(messageOf(traced)));
      if (epoch === this.#epoch) this.#acknowledged.push({ row, sequence });
    } catch (error) {
      log.debug(
        { err: error, eventId: row.id },
        'publishing failed; the sweeper will publish the event',
      );
    } finally {
      this.#countInFlight(row.workspaceId, -count);
      this.#pump();
    }
  }
}
