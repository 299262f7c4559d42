import type { KnownWebhook } from '../known-webhook.js';

/** Whose attempt it is, and where it goes. Raw ids. */
export type Recipient = Pick<KnownWebhook, 'id' | 'workspaceId' | 'url'>;
