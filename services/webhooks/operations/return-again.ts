import { faultOf, type Call } from '@roster/bus';
import {
  Fault,
  operations,
  requirePermission,
  uuidOf,
  type Caller,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Repeat, Session } from '@roster/storage';
import { auditLog, tokenRead, type WebhooksService } from '../service.js';
import { Webhook } from '../entities/webhook.entity.js';
import { tokenOf, webhookKey } from '../webhook.js';

interface Shown {
  call: Call;
  webhook: OutputOf<Operations['webhooks.get']>['webhook'];
}

/**
 * Refuses stored responses with a token that their callers could not read now, and records that the others are returned again.
 */
export const returnAgain =
  (service: WebhooksService) =>
  async (
    session: Session,
    repeats: readonly (Repeat | undefined)[],
  ): Promise<(Fault | undefined)[]> => {
    const shown = repeats.map((repeat) => repeat && shownBy(repeat));
    const webhooks = await currentOf(session, shown);
    const hidden = shown.map((one) => one && refusalOf(one, webhooks.get(keyOf(one)), service));
    const refusals = await auditLog.recordReads(
      session,
      shown.map((one, at) =>
        one && !hidden[at] ? tokenRead(one.call, one.webhook.id) : undefined,
      ),
    );
    return hidden.map((refusal, at) => refusal ?? (refusals[at] && overLimit(refusals[at])));
  };

const shownBy = ({ call, answer }: Repeat): Shown => ({
  call,
  ...(JSON.parse(answer.text) as Pick<Shown, 'webhook'>),
});

const idOf = ({ call, webhook }: Shown) => ({
  workspaceId: uuidOf('workspace', call.caller.workspaceId),
  id: uuidOf('webhook', webhook.id),
});

const keyOf = (shown: Shown): string => webhookKey(idOf(shown));

async function currentOf(session: Session, shown: readonly (Shown | undefined)[]) {
  const ids = shown.flatMap((one) => (one ? [idOf(one)] : []));
  const found = ids.length === 0 ? [] : await session.em.find(Webhook, { $or: ids });
  return new Map(found.map((webhook) => [webhookKey(webhook), webhook]));
}

function refusalOf(
  { call, webhook: { id, token } }: Shown,
  current: Webhook | undefined,
  service: WebhooksService,
): Fault | undefined {
  if (!current) return applied('the webhook was deleted since.');
  try {
    if (tokenOf(current, service) !== token)
      return applied('the token in its response was replaced since. Read the webhook instead.', id);
  } catch (error) {
    return faultOf(error);
  }
  // Who chose the token knows it.
  if ((call.input as { token?: string }).token === token || mayRead(call.caller)) return undefined;
  return applied('its response contains a token that its sender is not allowed to read.', id);
}

const applied = (what: string, existingId?: string): Fault =>
  new Fault(
    'conflict',
    `The request with this Idempotency-Key was applied, and ${what}`,
    existingId === undefined ? {} : { existingId },
  );

function mayRead(caller: Caller): boolean {
  try {
    requirePermission(caller, operations['webhooks.get']);
    return true;
  } catch {
    return false;
  }
}

/** The refusal of other calls says that nothing was changed. */
const overLimit = ({ details }: Fault): Fault =>
  new Fault(
    'rate_limited',
    'The request was applied before. Its response contains the token of a webhook, and the workspace has reached its limit of entries of the audit log per day (UTC): it is not returned again until the next day.',
    details,
  );
