import type { EventKind } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import type { Trigger } from '../attempt/attempt.js';
import { endOfIds, startOfIds, type Delivery } from '../delivery/delivery.js';
import { OncePerKey } from './once-per-key.js';
import {
  parkWebhook,
  resumeWebhook,
  skipWebhook,
  unparkWebhook,
  waitingWebhooks,
} from './queue-moves.js';
import { claimDue, renewLeases } from './queue-table.js';

/** Limits of a claim. */
export interface Claim {
  lease: string;
  leaseSeconds: number;
  rowsMax: number;
  rowsPerWebhookMax: number;
  /** Webhooks of which no row, and those of which at most one row is claimed. Raw IDs. */
  without: string[];
  single: string[];
  /** Workspaces with deliveries in flight: their number, and how many more may be claimed. */
  workspaces: readonly { id: string; taken: number; room: number }[];
  /** Room of every other workspace. */
  roomOfOthers: number;
}

/** A webhook with deliveries in the queue. */
export interface WaitingWebhook {
  workspaceId: string;
  webhookId: string;
  isParked: boolean;
}

export interface ClaimedRow {
  workspace_id: string;
  webhook_id: string;
  delivery_id: string;
  event_id: string;
  attempts: number;
  trigger: Trigger;
  kind: EventKind;
  body: string;
  /** Null if it is the body of the event. */
  own_body: string | null;
  /** See the entity `Event`. */
  trace: string | null;
}

/** The webhook that a claim reached, and a claimed row or none. */
type ClaimRow = (ClaimedRow | { [Name in keyof ClaimedRow]: null }) & {
  reached_workspace_id: string | null;
  reached_webhook_id: string | null;
};

interface Portion {
  read: number;
  moved: number;
  reached: string;
}

/** Rows that a statement of `queue-moves.ts` reads. */
const portionRows = 1000;
/** Workspace and webhook before all others. */
const startOfQueue = [startOfIds, startOfIds] as const;

/** The reason of deliveries that are skipped. */
export const webhookDeleted = 'The webhook was deleted.';

/** Deliveries that wait in PostgreSQL. Raw IDs. */
export class Queue {
  readonly #database: Database;
  readonly #moves = new OncePerKey();
  /** Workspace and webhook that the last claim reached. */
  #reached: readonly [string, string] = startOfQueue;
  #wake: () => void = () => undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Sets the function that is called when deliveries have become due. */
  onDue(wake: () => void): void {
    this.#wake = wake;
  }

  due(): void {
    this.#wake();
  }

  /** Returns no rows only if none could be claimed of any webhook. */
  async claim(claim: Claim): Promise<ClaimedRow[]> {
    // The rest of the queue, and then all of it.
    let rounds = this.#reached === startOfQueue ? 1 : 2;
    for (;;) {
      const rows = await this.#claimOfNext(claim);
      const { reached_workspace_id: workspaceId, reached_webhook_id: webhookId } = rows[0]!;
      if (workspaceId === null || webhookId === null) {
        this.#reached = startOfQueue;
        rounds -= 1;
      } else this.#reached = [workspaceId, webhookId];
      const claimed = rows.filter((row) => row.delivery_id !== null);
      if (claimed.length > 0 || rounds === 0) return claimed;
    }
  }

  /** Claims deliveries of the webhooks after the last one that was reached. */
  #claimOfNext(claim: Claim): Promise<ClaimRow[]> {
    const { lease, leaseSeconds, rowsMax, rowsPerWebhookMax, without, single, workspaces } = claim;
    return this.#database.query(claimDue, [
      ...[rowsPerWebhookMax, rowsMax, lease, leaseSeconds, without, single],
      workspaces.map(({ id }) => id),
      workspaces.map(({ taken }) => taken),
      workspaces.map(({ room }) => room),
      claim.roomOfOthers,
      ...this.#reached,
    ]);
  }

  /** Extends the leases of claimed deliveries, except of those that another process has claimed since. */
  async renew(deliveries: readonly Delivery[], leaseSeconds: number): Promise<void> {
    await this.#database.query(renewLeases, [
      deliveries.map(({ workspaceId }) => workspaceId),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ id }) => id),
      deliveries.map(({ lease }) => lease),
      leaseSeconds,
    ]);
  }

  /** A webhook works again: deliveries that were postponed before their first attempt are due now. */
  resume(workspaceId: string, webhookId: string): Promise<void> {
    return this.#move(resumeWebhook, [workspaceId, webhookId], () => this.due());
  }

  /** A webhook is disabled: its deliveries wait until it is enabled. */
  park(workspaceId: string, webhookId: string): Promise<void> {
    return this.#move(parkWebhook, [workspaceId, webhookId]);
  }

  /** A webhook may have been enabled: its parked deliveries are due now. */
  unpark(workspaceId: string, webhookId: string): Promise<void> {
    return this.#move(unparkWebhook, [workspaceId, webhookId], () => this.due());
  }

  /**
   * A webhook was deleted: its deliveries are skipped, except those in flight.
   *
   * @param onSkipped called with the number of deliveries of each portion
   */
  skip(workspaceId: string, webhookId: string, onSkipped: (count: number) => void): Promise<void> {
    return this.#move(skipWebhook, [workspaceId, webhookId], onSkipped, [webhookDeleted]);
  }

  /** Webhooks of one workspace that have deliveries here, or those of all workspaces that have parked ones. */
  waiting(workspaceId?: string): Promise<WaitingWebhook[]> {
    const isParked = workspaceId === undefined;
    const range = [workspaceId ?? startOfIds, workspaceId ?? endOfIds, isParked];
    return this.#database.query(waitingWebhooks, range);
  }

  /** Runs once at a time for a webhook: every delivery that is refused while a webhook is disabled calls it. */
  #move(
    statement: Statement,
    webhook: readonly [workspaceId: string, webhookId: string],
    onMoved: (count: number) => void = () => undefined,
    more: readonly unknown[] = [],
  ): Promise<void> {
    return this.#moves.run(`${statement.name} ${webhook[1]}`, async () => {
      let after = startOfIds;
      for (;;) {
        const values = [...webhook, after, portionRows, ...more];
        const [portion] = await this.#database.query<Portion>(statement, values);
        const { read, moved, reached } = portion!;
        if (moved > 0) onMoved(moved);
        if (read < portionRows) return;
        after = reached;
      }
    });
  }
}
