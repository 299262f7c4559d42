import { Migration } from '@mikro-orm/migrations';

/** Whether a workspace is suspended, and its ID in the system of the operator. */
export class AddWorkspaceStatus extends Migration {
  override up(): void {
    this.addSql('alter table users.workspaces add column external_id text collate "C"');
    this.addSql(`alter table users.workspaces add column status text not null default 'active'`);
  }
}

/** Whether the webhooks service holds its deliveries. */
export class AddHeldWorkspaces extends Migration {
  override up(): void {
    this.addSql('alter table users.workspaces add column is_held boolean not null default false');
  }
}

/** No two workspaces have the same. Most have none. */
export class IndexExternalIds extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists users.workspaces_external_id');
    this.addSql(
      'create unique index concurrently workspaces_external_id on users.workspaces (external_id) where external_id is not null',
    );
  }
}
