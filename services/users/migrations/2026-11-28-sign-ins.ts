import { Migration } from '@mikro-orm/migrations';

/** Who may sign in as a key, and which links and sessions that made. */
export class AddSignIns extends Migration {
  override up(): void {
    for (const column of ['email', 'email_key', 'issuer', 'subject'])
      this.addSql(
        `alter table users.api_keys add column sign_in_${column} text${column === 'email_key' ? ' collate "C"' : ''}`,
      );
    for (const table of ['sessions', 'session_links'])
      this.addSql(
        `alter table users.${table} add column by_identity boolean not null default false`,
      );
  }
}

/** Few keys have an identity. One that signs in is looked up without its workspace. */
export class IndexSignIns extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists users.api_keys_sign_in_email');
    this.addSql(
      'create index concurrently api_keys_sign_in_email on users.api_keys (sign_in_email_key, workspace_id) where sign_in_email_key is not null and revoked_at is null',
    );
    this.addSql('drop index concurrently if exists users.api_keys_sign_in_subject');
    this.addSql(
      'create index concurrently api_keys_sign_in_subject on users.api_keys (sign_in_subject) where sign_in_subject is not null',
    );
  }
}
