import type { KnownWebhook } from '../webhooks/known-webhook.js';

/** The webhook of an attempt, its workspace and its URL. Raw IDs. */
export type Recipient = Pick<KnownWebhook, 'id' | 'workspaceId' | 'url'>;
