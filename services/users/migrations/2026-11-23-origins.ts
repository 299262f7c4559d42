import { Migration } from '@mikro-orm/migrations';

export class CreateOrigins extends Migration {
  override up(): void {
    this.addSql(`create table users.origins (
      workspace_id uuid not null references users.workspaces (id),
      origin text collate "C" not null,
      primary key (workspace_id, origin)
    )`);
    this.addSql('create index origins_origin on users.origins (origin)');
  }
}
