import type { Operations } from '@roster/contracts';
import { each } from '@roster/storage';
import { changeWebhook } from '../change-webhook.js';
import { randomToken, tokenBinding, tokenOf } from '../webhook.js';
import type { WebhooksService } from '../service.js';
import type { Webhook } from '../entities/webhook.entity.js';

/** Only the replaced token remains valid for a while, not earlier ones, and not one that cannot be decrypted. */
export const rotateToken = (service: WebhooksService) =>
  each<Operations['webhooks.rotate-token']>((call, session) => {
    const { cipher } = service;
    const { token = randomToken(), overlapSeconds } = call.input;
    return changeWebhook(service, session, call, 'webhook.token_rotated', (webhook) => {
      const binding = tokenBinding(webhook);
      const now = Date.now();
      // A rotation that is repeated because its response was lost must not remove the replaced token.
      const current = tokenOf(webhook, service);
      const isRepeated = current === token;
      const replaced = isRepeated ? previousOf(webhook, now) : webhook.tokenCiphertext;
      const kept = overlapSeconds === 0 || current === undefined ? null : replaced;
      webhook.previousTokenCiphertext = kept;
      webhook.previousTokenUntil = kept === null ? null : new Date(now + overlapSeconds * 1000);
      if (!isRepeated) webhook.tokenCiphertext = cipher.encrypt(token, binding);
    });
  });

function previousOf(
  { previousTokenCiphertext, previousTokenUntil }: Webhook,
  now: number,
): string | null {
  const isValid = previousTokenUntil && previousTokenUntil.getTime() > now;
  return (isValid && previousTokenCiphertext) || null;
}
