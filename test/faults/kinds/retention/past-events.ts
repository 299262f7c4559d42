import { randomUUID } from 'node:crypto';
import { encodeId, uuidOf } from '@roster/contracts';
import pg from 'pg';
import type { LoadedSystem } from '../../reconcile.js';

const dayMs = 86_400_000;
const ageMs = 3 * dayMs;
const batch = 4;
const everyMs = 200;

/** A raw ID of version 7 that was made three days ago. */
function pastId(): string {
  const time = (Date.now() - ageMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** The first ID of a moment between the events of three days ago and those of today, whatever the hour. */
export const firstIdAfterPast = (): string => {
  const time = (Date.now() - ageMs / 2).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
};

/** Subscribes webhooks ten days before their creation: they receive events of three days ago. */
export const backdateWebhooks = `
  create function faults.backdate() returns trigger language plpgsql as $$
    begin
      new.created_at := new.created_at - interval '10 days';
      return new;
    end $$;
  create trigger backdate before insert on webhooks.webhooks
    for each row execute function faults.backdate();`;

/**
 * Adds events of three days ago to the outbox of the contacts service, as if they could not be published until now. The service
 * publishes them beside the others.
 */
export class PastEvents {
  readonly #session: pg.Client;
  readonly #workspaceId: string;
  readonly #timer: NodeJS.Timeout;
  #adding: Promise<unknown> = Promise.resolve();

  private constructor(session: pg.Client, workspaceId: string) {
    this.#session = session;
    this.#workspaceId = workspaceId;
    this.#timer = setInterval(() => {
      this.#adding = this.#adding.then(() => this.#add());
    }, everyMs);
  }

  static async start({ databaseUrl, workspaceId }: LoadedSystem): Promise<PastEvents> {
    const session = new pg.Client({ connectionString: databaseUrl });
    await session.connect();
    return new PastEvents(session, uuidOf('workspace', workspaceId));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#adding;
    await this.#session.end();
  }

  async #add(): Promise<void> {
    const events = Array.from({ length: batch }, () => ({ id: pastId(), body: bodyOf(pastId()) }));
    await this.#session.query(
      `insert into contacts.outbox (workspace_id, id, kind, body)
       select $1, id, 'CONTACT_CREATED', body from unnest($2::uuid[], $3::text[]) as e (id, body)`,
      [this.#workspaceId, events.map(({ id }) => id), events.map(({ body }) => body)],
    );
  }
}

function bodyOf(contactId: string): string {
  const id = encodeId('contact', contactId);
  const createdAt = new Date(Date.now() - ageMs).toISOString();
  const contact = { id, email: `${id}@example.com`, name: '', createdAt };
  return JSON.stringify({ event: 'CONTACT_CREATED', created_at: createdAt, data: { contact } });
}
