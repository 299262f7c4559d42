import type { Database, Statement } from '@roster/service/storage';

/** What waits in PostgreSQL, moved when the reason for waiting is gone. */
export class Queue {
  readonly #database: Database;
  #wake: () => void = () => undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Called when something is due that was not. */
  onDue(wake: () => void): void {
    this.#wake = wake;
  }

  due(): void {
    this.#wake();
  }

  /** A webhook works again: what waited for that, and was not tried yet, is due now. */
  async resume(workspaceId: string, webhookId: string): Promise<void> {
    await this.#database.query(resume, [workspaceId, webhookId]);
    this.due();
  }

  /** A webhook is disabled: what waits for it, waits until it is enabled. */
  async park(workspaceId: string, webhookId: string): Promise<void> {
    await this.#database.query(park, [workspaceId, webhookId]);
  }

  /** A webhook may have been enabled: what was parked for it is due now. */
  async unpark(workspaceId: string, webhookId: string): Promise<void> {
    const moved = await this.#database.query(unpark, [workspaceId, webhookId]);
    if (moved.length > 0) this.due();
  }

  /** Webhooks for which something is parked. */
  parked(): Promise<{ workspaceId: string; webhookId: string }[]> {
    return this.#database.query(parked, []);
  }
}

const resume: Statement = {
  name: 'dispatcher.resume',
  text: `
    update dispatcher.queue set due_at = now(), lease = null
    where workspace_id = $1 and webhook_id = $2 and attempts = 0 and lease is null
      and due_at > now() and due_at < 'infinity'
    returning 1`,
};

/** A row under a lease is somebody's attempt, which will come to its own end. */
const park: Statement = {
  name: 'dispatcher.park',
  text: `
    update dispatcher.queue set due_at = 'infinity', lease = null
    where workspace_id = $1 and webhook_id = $2 and (lease is null or due_at <= now())`,
};

const unpark: Statement = {
  name: 'dispatcher.unpark',
  text: `
    update dispatcher.queue set due_at = now()
    where workspace_id = $1 and webhook_id = $2 and due_at = 'infinity' returning 1`,
};

const parked: Statement = {
  name: 'dispatcher.parked',
  text: `
    select distinct workspace_id as "workspaceId", webhook_id as "webhookId"
    from dispatcher.queue where due_at = 'infinity'`,
};
