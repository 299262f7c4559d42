import type { SchemaMigration } from '@roster/service/storage';
import { AddWebhookHealth } from './2026-11-21-webhook-health.js';
import { CreateWebhooks } from './2026-11-21-webhooks.js';

/** In the order in which they are applied. */
export const migrations: readonly SchemaMigration[] = [
  { name: '2026-11-21-webhooks', class: CreateWebhooks },
  { name: '2026-11-21-webhook-health', class: AddWebhookHealth },
];
