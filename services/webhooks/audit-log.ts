import { AuditLog, type AuditedCall, type Repeat, type Session } from '@roster/service/storage';
import { schema } from './service.js';

/** What this service records. */
export const auditLog = new AuditLog(schema);

/** The entry of a call that shows the token of a webhook and changes nothing. */
export const tokenRead = (call: AuditedCall, webhookId: string) =>
  [call, { action: 'webhook.token_read', resourceId: webhookId }] as const;

/** Records that stored responses with the token of a webhook are returned again. */
export const recordRepeats = (session: Session, repeats: readonly (Repeat | undefined)[]) =>
  auditLog.recordReads(
    session,
    repeats.map((repeat) => {
      if (!repeat) return undefined;
      const { webhook } = JSON.parse(repeat.answer.text) as { webhook: { id: string } };
      return tokenRead(repeat.call, webhook.id);
    }),
  );
