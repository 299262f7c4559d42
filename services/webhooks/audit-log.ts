import { Fault } from '@roster/contracts';
import { AuditLog, type AuditedCall, type Repeat, type Session } from '@roster/service/storage';
import { schema } from './service.js';

/** What this service records. */
export const auditLog = new AuditLog(schema);

/** The entry of a call that shows the token of a webhook and changes nothing. */
export const tokenRead = (call: AuditedCall, webhookId: string) =>
  [call, { action: 'webhook.token_read', resourceId: webhookId }] as const;

/** Records that stored responses with the token of a webhook are returned again. */
export async function recordRepeats(session: Session, repeats: readonly (Repeat | undefined)[]) {
  const refusals = await auditLog.recordReads(
    session,
    repeats.map((repeat) => {
      if (!repeat) return undefined;
      const { webhook } = JSON.parse(repeat.answer.text) as { webhook: { id: string } };
      return tokenRead(repeat.call, webhook.id);
    }),
  );
  return refusals.map((refusal) => refusal && repeatRefused(refusal));
}

/** The refusal of other calls says that nothing was changed. */
const repeatRefused = ({ details }: Fault): Fault =>
  new Fault(
    'rate_limited',
    'The request was applied before. Its response contains the token of a webhook, and the workspace has reached its limit of entries of the audit log per day (UTC): it is not returned again until the next day.',
    details,
  );
