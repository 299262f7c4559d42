import { migrations as contacts } from '@roster/contacts/migrations';
import { migrations as dispatcher } from '@roster/dispatcher/migrations';
import type { SchemaMigration } from '@roster/storage';
import { migrations as users } from '@roster/users/migrations';
import { migrations as webhooks } from '@roster/webhooks/migrations';

/** The migrations of every service that owns data, by service name, which is also the schema name. */
export const migrations: Record<string, readonly SchemaMigration[]> = {
  contacts,
  users,
  webhooks,
  dispatcher,
};
