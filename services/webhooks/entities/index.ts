import { idempotencyKeyEntity } from '@roster/service/storage';
import { schema } from '../service.js';
import { Webhook } from './webhook.entity.js';

/** What this service stores. */
export const entities = [Webhook, idempotencyKeyEntity(schema)];
