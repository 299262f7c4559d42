import { randomUUID } from 'node:crypto';
import { steadyNow, type Bus } from '@roster/bus';
import {
  decodeId,
  encodeId,
  Fault,
  faultMessages,
  operations,
  systemCaller,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { knownWebhook, type KnownWebhook } from './known-webhook.js';

type Called = 'webhooks.subscriptions' | 'webhooks.shut-off' | 'webhooks.report-health';

/** Results of the attempts of a webhook in this process. Moments as ISO 8601. */
export type WebhookHealth = Omit<
  InputOf<Operations['webhooks.report-health']>,
  'workspaceId' | 'webhookId'
>;

const writeTimeoutMs = 5000;
/** Shorter than the deadline of API requests, which are then answered `unavailable` and not `timeout`. */
const readTimeoutMs = 2500;

/** Client of the webhooks service. Takes and returns raw IDs. */
export class WebhooksService {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** @throws Fault `unavailable`, also after a time-out: a read changes nothing, even if a write calls it */
  async webhooksOf(workspaceId: string): Promise<KnownWebhook[]> {
    const input = { workspaceId: encodeId('workspace', workspaceId) };
    const { subscriptions } = await this.#call('webhooks.subscriptions', input).catch(unavailable);
    return subscriptions.map((subscription) => knownWebhook(workspaceId, subscription));
  }

  /** @throws Fault `not_found` when the webhook was deleted */
  async disable(workspaceId: string, webhookId: string, reason: string): Promise<void> {
    await this.#call('webhooks.shut-off', { ...encoded(workspaceId, webhookId), reason });
  }

  /** @throws Fault `not_found` when the webhook was deleted */
  async reportHealth(workspaceId: string, webhookId: string, health: WebhookHealth): Promise<void> {
    const { lastSuccessAt, lastFailureAt, failingSince } = health;
    const figures = { lastSuccessAt, lastFailureAt, failingSince };
    await this.#call('webhooks.report-health', { ...encoded(workspaceId, webhookId), ...figures });
  }

  /** Calls `then` when webhooks of a workspace have changed. Returns a function that ends this. */
  onChange(then: (workspaceId: string) => void): () => void {
    return this.#bus.listen('webhooks.changed', ({ workspaceId }) => {
      const raw = decodeId('workspace', workspaceId);
      if (raw !== undefined) then(raw);
    });
  }

  /** Calls `then` when broadcasts may have been missed: NATS was disconnected or reconnected. Returns a function that ends this. */
  onMissedChanges(then: () => void): () => void {
    return this.#bus.link.onChange(then);
  }

  #call<Name extends Called>(
    name: Name,
    input: InputOf<Operations[Name]>,
  ): Promise<OutputOf<Operations[Name]>> {
    const timeoutMs = operations[name].access === 'read' ? readTimeoutMs : writeTimeoutMs;
    const deadline = steadyNow() + timeoutMs;
    // Workspaces take turns in the bus.
    const caller = { ...systemCaller, workspaceId: input.workspaceId };
    return this.#bus.call(name, input, { caller, requestId: randomUUID(), deadline });
  }
}

function unavailable(error: unknown): never {
  if (!(error instanceof Fault) || error.code !== 'timeout') throw error;
  const reason = 'the webhooks service did not answer in time';
  throw new Fault('unavailable', faultMessages.unavailable, { retryAfterSeconds: 1, reason });
}

const encoded = (workspaceId: string, webhookId: string) => ({
  workspaceId: encodeId('workspace', workspaceId),
  webhookId: encodeId('webhook', webhookId),
});
