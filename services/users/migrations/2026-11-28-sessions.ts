import { Migration } from '@mikro-orm/migrations';

/** Tables of their own, not rows of `api_keys`: the former release would list sessions as keys, and count them. */
export class CreateSessions extends Migration {
  override up(): void {
    this.addSql(`create table users.sessions (
      workspace_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      key_id uuid not null,
      sha256 bytea not null constraint sessions_sha256_check check (length(sha256) = 32),
      created_at timestamp(3) with time zone not null,
      expires_at timestamp(3) with time zone not null,
      last_used_at timestamp(3) with time zone not null,
      address text,
      user_agent text,
      primary key (workspace_id, id),
      foreign key (workspace_id, key_id) references users.api_keys (workspace_id, id) on delete cascade
    )`);
    this.addSql('create unique index sessions_sha256 on users.sessions (sha256)');
    this.addSql('create index sessions_key on users.sessions (workspace_id, key_id)');
    this.addSql(`create table users.session_links (
      workspace_id uuid not null,
      id uuid not null,
      key_id uuid not null,
      sha256 bytea not null constraint session_links_sha256_check check (length(sha256) = 32),
      expires_at timestamp(3) with time zone not null,
      primary key (workspace_id, id),
      foreign key (workspace_id, key_id) references users.api_keys (workspace_id, id) on delete cascade
    )`);
    this.addSql('create unique index session_links_sha256 on users.session_links (sha256)');
    this.addSql('create index session_links_key on users.session_links (workspace_id, key_id)');
  }
}
