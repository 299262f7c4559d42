import { Migration } from '@mikro-orm/migrations';

/** Indexes of searches. The one for tags, properties and words contains the workspace, which requires the extension btree_gin. */
export class CreateContactSearch extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  // A trusted extension, so that roles that may create schemas may create it. Its functions belong to the superuser: in the schema
  // of the service, `roster postgres roles` would change their owner, which only a superuser may do.
  `create schema if not exists roster_extensions`,
  `create extension if not exists btree_gin schema roster_extensions`,
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
