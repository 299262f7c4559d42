import pg from 'pg';
import { workspaceUuid } from './data-set.js';

/** Adds the tables of webhooks to the database of a monolith that calls them itself. */
export async function openHooks(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `create schema hooks;
     create table hooks.webhooks (
       workspace_id uuid, id uuid, url text not null, token text not null, kinds text[] not null,
       primary key (workspace_id, id)
     );
     create table hooks.deliveries (
       workspace_id uuid, id uuid, event_id uuid not null, webhook_id uuid not null, body text not null,
       status text not null default 'pending', attempts int not null default 0, next_attempt_at timestamptz not null,
       created_at timestamptz not null default now(), primary key (workspace_id, id)
     );
     create index on hooks.deliveries (next_attempt_at) where status = 'pending';
     create table hooks.attempts (
       workspace_id uuid, delivery_id uuid, number int, status int, ms int not null, error text,
       created_at timestamptz not null default now(), primary key (workspace_id, delivery_id, number)
     );`,
  );
}

/** A webhook of a workspace, for creations. */
export async function addHook(databaseUrl: string, workspace: number, url: string): Promise<void> {
  await query(
    databaseUrl,
    `insert into hooks.webhooks (workspace_id, id, url, token, kinds)
     values ($1, gen_random_uuid(), $2, 'wht_bench', '{CONTACT_CREATED}')`,
    [workspaceUuid(workspace), url],
  );
}

async function query(databaseUrl: string, sql: string, values?: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}
