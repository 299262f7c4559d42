import type { Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { writeWebhook } from './change-webhook.js';
import { disable } from './disable-webhook.js';
import type { WebhooksService } from './service.js';
import { endOfStream } from './stream-positions.js';

type ShutOffWebhook = Operations['webhooks.shut-off'];

/** A token that cannot be decrypted does not prevent it. */
export const shutOffWebhook = (service: WebhooksService): SessionHandler<ShutOffWebhook> =>
  each<ShutOffWebhook>(async ({ input }, session) => {
    const position = await endOfStream(service);
    await session.transaction((inner) =>
      writeWebhook(service, inner, input, (webhook) => disable(webhook, input.reason, position)),
    );
    return { disabled: true };
  });
