import { connectBus, handleBatch, unavailable, type Bus, type HandlerTable } from '@roster/bus';
import { encodeId, uuidOf, type OperationName } from '@roster/contracts';
import { IdClock, openLog } from '@roster/process';
import { callerOfFaults, checkFaults, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import type { Subscription } from '../../webhooks/known-webhook.js';
import { Subscriptions } from '../../webhooks/subscriptions.js';
import { WebhooksService } from '../../webhooks/webhooks-service.js';
import { handlers } from '../../handlers.js';
import { Partitions } from '../../queue/partitions.js';
import { schema, type DispatcherService } from '../../service.js';
import { dispatcherDatabase } from '../dispatcher-database.js';
import { insertDue } from '../queue/queued-deliveries.js';

const log = openLog(schema, 'silent');
const ids = new IdClock();
const webhook: Subscription = {
  ...{ id: encodeId('webhook', ids.next()), url: 'https://example.com/', events: [] },
  ...{ payload: 'compact', token: 'a-token', previousToken: null, disabledReason: null },
};
/** They need at most the database. */
const independent = new Set<OperationName>([
  'deliveries.get',
  'dispatcher.erase-contact',
  'dispatcher.delete-workspace',
  'dispatcher.audit-entries',
  'dispatcher.usage',
  'meta.get',
  'replays.get',
  'webhook-health.get',
  'replays.list',
  'replays.cancel',
  'workspace-deliveries.list',
]);

test('while NATS is unreachable, operations that look a webhook or the log of events up answer unavailable, and the others as usual', async (t) => {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const webhooksBus = await serveWebhooks(t, nats.url);
  await webhooksBus.openEvents({ replicas: 1, maxAgeSeconds: 3600 });
  const database = await dispatcherDatabase(t);
  const partitions = new Partitions(database, 30);
  await partitions.prepare();
  const [deliveryId] = await insertDue(
    database,
    uuidOf('workspace', callerOfFaults.workspaceId),
    webhook,
    1,
  );
  const ofWebhook = { webhookId: webhook.id };
  const since = '2026-01-01T00:00:00Z';
  await checkFaults({
    ...{ t, service: 'dispatcher', handleBatch },
    inputs: {
      'deliveries.list': ofWebhook,
      'deliveries.retry': { deliveryId: encodeId('delivery', deliveryId!) },
      'webhooks.test': { ...ofWebhook, kind: 'CONTACT_CREATED' },
      'webhooks.stats': ofWebhook,
      'replays.create': { ...ofWebhook, since },
    },
    server: { host: '127.0.0.1', port: Number(new URL(nats.url).port) },
    async open(port) {
      const bus = await connectBus({ servers: `nats://127.0.0.1:${port}`, name: 'test', log });
      t.teardown(() => bus.close());
      const webhooks = new WebhooksService(bus);
      const service = {
        ...{ database, ids, partitions, log: bus, sourceAddresses: [] },
        ...{ stream: bus.stream, deliveryRetentionDays: 30 },
        acknowledgedSequence: async () => (await bus.streamPosition().catch(cannotAsk))!.sequence,
        queue: { due: () => undefined },
        replays: { wake: () => undefined },
        activity: { replayChanged: () => undefined, queuedAgain: () => undefined },
        // One for each look-up, because it caches.
        subscriptions: {
          one: (...key: Parameters<Subscriptions['one']>) =>
            new Subscriptions(webhooks).one(...key),
        },
      } as unknown as DispatcherService;
      return { handlers: handlers(service), isThere: () => isConnected(bus) };
    },
    expected: ({ name }) => (independent.has(name as OperationName) ? undefined : 'unavailable'),
  });
});

/** Whether NATS answers. A connection that was interrupted may still count as up. */
async function isConnected({ link }: Bus): Promise<boolean> {
  if (!link.up) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const release = link.onChange(() => resolve(false));
  link.nats.flush().then(
    () => resolve(link.up),
    () => resolve(false),
  );
  return promise.finally(release);
}

/** The webhooks service, on a connection that does not fail. */
async function serveWebhooks(t: ExecutionContext, servers: string): Promise<Bus> {
  const bus = await connectBus({ servers, name: 'webhooks', log });
  t.teardown(() => bus.close());
  const table: Partial<HandlerTable<'webhooks'>> = {
    'webhooks.subscriptions': async (calls) => calls.map(() => ({ subscriptions: [webhook] })),
  };
  bus.serve('webhooks', table as HandlerTable<'webhooks'>);
  return bus;
}

function cannotAsk(error: unknown): never {
  throw unavailable('NATS did not answer', error);
}
