import { Migration } from '@mikro-orm/migrations';

export class CreateExportLinks extends Migration {
  override up(): void {
    this.addSql(`create table users.export_links (
      workspace_id uuid not null,
      id uuid not null,
      key_id uuid not null,
      session_id uuid,
      sha256 bytea not null constraint export_links_sha256_check check (length(sha256) = 32),
      input jsonb not null,
      expires_at timestamp(3) with time zone not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, key_id) references users.api_keys (workspace_id, id) on delete cascade
    )`);
    this.addSql('create unique index export_links_sha256 on users.export_links (sha256)');
    this.addSql('create index export_links_key on users.export_links (workspace_id, key_id)');
  }
}
