import type { EventKind } from '@roster/contracts';
import type { Database, Statement } from '@roster/service/storage';
import type { Trigger } from '../attempt/attempt.js';
import { endOfIds, startOfIds } from './moment-id.js';
import { OncePerKey } from './once-per-key.js';
import { parkedWebhooks, parkWebhook, resumeWebhook, unparkWebhook } from './queue-moves.js';
import { claimDue, dueWebhooks } from './queue-table.js';

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

export interface ClaimedRow {
  workspace_id: string;
  webhook_id: string;
  delivery_id: string;
  event_id: string;
  attempts: number;
  trigger: Trigger;
  kind: EventKind;
  body: string;
}

interface Portion {
  read: number;
  moved: number;
  reached: string;
}

/** Rows that a statement of `queue-moves.ts` reads. */
const portionRows = 1000;

/** Deliveries that wait in PostgreSQL. Raw IDs. */
export class Queue {
  readonly #database: Database;
  readonly #moves = new OncePerKey();
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

  claim(claim: Claim): Promise<ClaimedRow[]> {
    const { lease, leaseSeconds, rowsMax, rowsPerWebhookMax, without, single, workspaces } = claim;
    return this.#database.query(claimDue, [
      ...[rowsPerWebhookMax, rowsMax, lease, leaseSeconds, without, single],
      workspaces.map(({ id }) => id),
      workspaces.map(({ taken }) => taken),
      workspaces.map(({ room }) => room),
      claim.roomOfOthers,
    ]);
  }

  /** IDs of those webhooks that have due deliveries. */
  async whichDue(webhooks: readonly { workspaceId: string; id: string }[]): Promise<Set<string>> {
    if (webhooks.length === 0) return new Set();
    const rows = await this.#database.query<{ id: string }>(dueWebhooks, [
      webhooks.map(({ workspaceId }) => workspaceId),
      webhooks.map(({ id }) => id),
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  /** A webhook works again: deliveries that were postponed before their first attempt are due now. */
  resume(workspaceId: string, webhookId: string): Promise<void> {
    return this.#move(resumeWebhook, workspaceId, webhookId);
  }

  /** A webhook is disabled: its deliveries wait until it is enabled. */
  park(workspaceId: string, webhookId: string): Promise<void> {
    return this.#move(parkWebhook, workspaceId, webhookId);
  }

  /** A webhook may have been enabled: its parked deliveries are due now. */
  unpark(workspaceId: string, webhookId: string): Promise<void> {
    return this.#move(unparkWebhook, workspaceId, webhookId);
  }

  /** Webhooks that have parked deliveries, of one workspace or of all. */
  parked(workspaceId?: string): Promise<{ workspaceId: string; webhookId: string }[]> {
    const range = [workspaceId ?? startOfIds, workspaceId ?? endOfIds];
    return this.#database.query(parkedWebhooks, range);
  }

  /** Runs once at a time for a webhook: every delivery that is refused while a webhook is disabled calls it. */
  #move(statement: Statement, workspaceId: string, webhookId: string): Promise<void> {
    return this.#moves.run(`${statement.name} ${webhookId}`, async () => {
      let after = startOfIds;
      for (;;) {
        const values = [workspaceId, webhookId, after, portionRows];
        const [portion] = await this.#database.query<Portion>(statement, values);
        const { read, moved, reached } = portion!;
        if (moved > 0 && statement !== parkWebhook) this.due();
        if (read < portionRows) return;
        after = reached;
      }
    });
  }
}
