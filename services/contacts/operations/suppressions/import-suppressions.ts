import { emailKey, operations, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { auditLog, type ContactsService } from '../../service.js';
import { suppressAddresses } from '../../writing/suppress-addresses.js';
import { createWatermark } from '../../writing/watermark.js';

type ImportSuppressions = Operations['suppressions.import'];

const { email: address } = operations['suppressions.create'].input.shape;

/** One transaction, in which no other contact of the workspace is written. Addresses of the list that are equal are one. */
export const importSuppressions = (service: ContactsService): SessionHandler<ImportSuppressions> =>
  each<ImportSuppressions>(async (call, session) => {
    const { emails, reason } = call.input;
    const valid = new Map<string, string>();
    const refused: { index: number; message: string }[] = [];
    for (const [index, text] of emails.entries()) {
      const { success, data, error } = address.safeParse(text);
      if (success) valid.set(emailKey(data), data);
      else refused.push({ index, message: error.issues[0]!.message });
    }
    if (valid.size === 0) return { created: 0, known: 0, refused };
    await createWatermark(service, call);
    return session.transaction(async (inner) => {
      const wanted = { emails: [...valid.values()], reason };
      const rows = await suppressAddresses(service, call, wanted, inner);
      const created = rows.filter((row) => row.created).length;
      if (created > 0)
        await auditLog.record(inner, call, {
          action: 'suppressions.imported',
          resourceId: call.caller.workspaceId,
          after: { reason, created },
        });
      return { created, known: rows.length - created, refused };
    });
  });
