import { Migration } from '@mikro-orm/migrations';

export class CreateWebhooks extends Migration {
  override up(): void {
    for (const statement of [webhooks, ...idempotencyKeys]) this.addSql(statement);
  }
}

const webhooks = `create table webhooks.webhooks (
  workspace_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null check (cardinality(events) > 0),
  token_ciphertext text not null,
  disabled_reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id)
)`;

const idempotencyKeys = [
  `create table webhooks.idempotency_keys (
    workspace_id uuid not null,
    key text not null,
    operation text not null,
    input_sha256 bytea not null,
    answer text,
    created_at timestamptz not null default now(),
    primary key (workspace_id, key)
  )`,
  `create index idempotency_keys_created_at on webhooks.idempotency_keys using brin (created_at)`,
];
