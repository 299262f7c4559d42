import type { Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { auditLog, type ContactsService } from '../../service.js';
import { suppressAddresses, suppressionShape } from '../../writing/suppress-addresses.js';
import { createWatermark } from '../../writing/watermark.js';

type CreateSuppression = Operations['suppressions.create'];

export const createSuppression = (service: ContactsService): SessionHandler<CreateSuppression> =>
  each<CreateSuppression>(async (call, session) => {
    const { email, reason } = call.input;
    await createWatermark(service, call);
    return session.transaction(async (inner) => {
      const wanted = { emails: [email], reason };
      const [row] = await suppressAddresses(service, call, wanted, inner);
      const { created } = row!;
      const suppression = suppressionShape(row!);
      if (created)
        await auditLog.record(inner, call, {
          action: 'suppression.created',
          resourceId: suppression.id,
          after: { reason },
        });
      return { created, suppression };
    });
  });
