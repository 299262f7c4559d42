import { Migration } from '@mikro-orm/migrations';
import { idempotencyTable } from '@roster/service/storage';

export class CreateWebhooks extends Migration {
  override up(): void {
    for (const statement of [webhooks, ...idempotencyTable('webhooks')]) this.addSql(statement);
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
