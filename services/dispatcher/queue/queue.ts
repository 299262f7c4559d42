import type { EventKind } from '@roster/contracts';
import type { Database } from '@roster/service/storage';
import type { Trigger } from '../attempt/attempt.js';
import {
  claimDue,
  parkedWebhooks,
  parkWebhook,
  resumeWebhook,
  unparkWebhook,
} from './queue-table.js';

/** What a claim may take. */
export interface Claim {
  lease: string;
  leaseSeconds: number;
  rowsMax: number;
  rowsPerWebhookMax: number;
  /** Webhooks of which nothing is claimed, and those of which one row is. Raw ids. */
  without: string[];
  probing: string[];
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

/** Deliveries that wait in PostgreSQL. Raw ids. */
export class Queue {
  readonly #database: Database;
  #wake: () => void = () => undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Called when something has become due. */
  onDue(wake: () => void): void {
    this.#wake = wake;
  }

  due(): void {
    this.#wake();
  }

  claim(claim: Claim): Promise<ClaimedRow[]> {
    const { lease, leaseSeconds, rowsMax, rowsPerWebhookMax, without, probing } = claim;
    const values = [rowsPerWebhookMax, rowsMax, lease, leaseSeconds, without, probing];
    return this.#database.query(claimDue, values);
  }

  /** A webhook works again: what was put off because it did not, and was not attempted yet, is due now. */
  async resume(workspaceId: string, webhookId: string): Promise<void> {
    await this.#database.query(resumeWebhook, [workspaceId, webhookId]);
    this.due();
  }

  /** A webhook is disabled: its deliveries wait until it is enabled. */
  async park(workspaceId: string, webhookId: string): Promise<void> {
    await this.#database.query(parkWebhook, [workspaceId, webhookId]);
  }

  /** A webhook may have been enabled: its parked deliveries are due now. */
  async unpark(workspaceId: string, webhookId: string): Promise<void> {
    const values = [workspaceId, webhookId];
    const [moved] = await this.#database.query<{ count: number }>(unparkWebhook, values);
    if (moved!.count > 0) this.due();
  }

  /** Webhooks that have parked deliveries. */
  parked(): Promise<{ workspaceId: string; webhookId: string }[]> {
    return this.#database.query(parkedWebhooks, []);
  }
}
