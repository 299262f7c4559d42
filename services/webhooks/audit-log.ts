import { AuditLog, type AuditedCall } from '@roster/storage';
import { schema } from './service.js';

/** What this service records. */
export const auditLog = new AuditLog(schema);

/** The entry of a call that shows the token of a webhook and changes nothing. */
export const tokenRead = (call: AuditedCall, webhookId: string) =>
  [call, { action: 'webhook.token_read', resourceId: webhookId }] as const;
