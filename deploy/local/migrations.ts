import { migrations as contacts } from '@roster/contacts/migrations';
import { migrations as dispatcher } from '@roster/dispatcher/migrations';
import type { SchemaMigration } from '@roster/service/storage';
import { migrations as users } from '@roster/users/migrations';
import { migrations as webhooks } from '@roster/webhooks/migrations';

/** Of every service that owns data, by its name, which is its schema's too. */
export const migrations: Record<string, readonly SchemaMigration[]> = {
  contacts,
  users,
  webhooks,
  dispatcher,
};
