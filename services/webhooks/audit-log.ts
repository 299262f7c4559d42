import type { Call } from '@roster/bus';
import { AuditLog } from '@roster/service/storage';
import { schema } from './service.js';

/** What this service records. */
export const auditLog = new AuditLog(schema);

/** The entry of a call that shows the token of a webhook and changes nothing. */
export const tokenRead = (call: Call<{ webhookId: string }>) =>
  [call, { action: 'webhook.token_read', resourceId: call.input.webhookId }] as const;
