import { Migration } from '@mikro-orm/migrations';

export class AddWebhookHealth extends Migration {
  override up(): void {
    this.addSql(rotationAndHealth);
    // Health is written every few seconds: room on the page keeps those updates off the index.
    this.addSql(`alter table webhooks.webhooks set (fillfactor = 70)`);
  }
}

const rotationAndHealth = `alter table webhooks.webhooks
  add column previous_token_ciphertext text,
  add column previous_token_until timestamptz(3),
  add column last_success_at timestamptz(3),
  add column last_failure_at timestamptz(3),
  add column failing_since timestamptz(3),
  add column failures timestamptz(3)[] not null default '{}',
  add column forgiven_at timestamptz(3),
  add check ((previous_token_ciphertext is null) = (previous_token_until is null))`;
