import { Migration } from '@mikro-orm/migrations';

/** Lets indexes for tags, properties and words contain the workspace. A trusted extension: owners of a database may create it. */
export class CreateContactSearch extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create extension if not exists btree_gin schema contacts`,
  `drop index concurrently if exists contacts.contacts_search`,
  // Searches read all entries that are not merged yet: few, so that they stay fast.
  `create index concurrently contacts_search on contacts.contacts
   using gin (workspace_id, tags jsonb_path_ops, properties jsonb_path_ops, to_tsvector('simple', name))
   with (gin_pending_list_limit = 256)`,
  `drop index concurrently if exists contacts.contacts_status`,
  `create index concurrently contacts_status on contacts.contacts (workspace_id, status, id)`,
  `drop index concurrently if exists contacts.contacts_created_at`,
  `create index concurrently contacts_created_at on contacts.contacts (workspace_id, created_at, id)`,
];
