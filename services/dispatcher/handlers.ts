import type { Handler, HandlerTable } from '@roster/bus';
import { uuidOf, type Operations } from '@roster/contracts';
import {
  deleteWorkspaceRows,
  each,
  idempotent,
  onPool,
  verifyOutbox,
  type SessionHandler,
} from '@roster/storage';
import { cancelReplay, createReplay, getReplay, listReplays } from './operations/replays.js';
import { getEvent } from './operations/get-event.js';
import { getDelivery } from './operations/get-delivery.js';
import { eraseContact, isAcknowledged } from './operations/erase-contact.js';
import { getMeta } from './operations/get-meta.js';
import { listDeliveries, listWorkspaceDeliveries } from './operations/list-deliveries.js';
import { listEvents } from './operations/list-events.js';
import { retryDelivery } from './operations/retry-delivery.js';
import { auditLog, schema, type DispatcherService } from './service.js';
import { getUsage } from './operations/usage.js';
import { verifyDeliveries } from './operations/verify-deliveries.js';
import { testWebhook } from './operations/test-webhook.js';
import { webhookHealth } from './operations/webhook-health.js';
import { webhookStats } from './operations/webhook-stats.js';

/** The operations that this service serves. */
export function handlers(service: DispatcherService): HandlerTable<'dispatcher'> {
  const { database } = service;
  const write = <Name extends keyof HandlerTable<'dispatcher'>>(
    name: Name,
    handler: SessionHandler<Operations[Name]>,
  ): Handler<Operations[Name]> => idempotent<Operations[Name]>(database, schema, name, handler);
  return {
    'deliveries.list': onPool(database, listDeliveries(service)),
    'workspace-deliveries.list': onPool(database, listWorkspaceDeliveries),
    'deliveries.get': onPool(database, getDelivery(service)),
    'deliveries.retry': write('deliveries.retry', retryDelivery(service)),
    'webhooks.test': write('webhooks.test', testWebhook(service)),
    'webhook-health.get': onPool(database, webhookHealth),
    'webhooks.stats': onPool(database, webhookStats(service)),
    'replays.create': write('replays.create', createReplay(service)),
    'replays.list': onPool(database, listReplays),
    'replays.get': onPool(database, getReplay(service)),
    'replays.cancel': write('replays.cancel', cancelReplay(service)),
    'event-log.list': listEvents(service),
    'event.get': onPool(database, getEvent(service)),
    'meta.get': getMeta(service),
    'dispatcher.is-acknowledged': isAcknowledged(service),
    'dispatcher.erase-contact': onPool(database, eraseContact),
    'dispatcher.audit-entries': onPool<Operations['dispatcher.audit-entries']>(
      database,
      each(({ input }, session) => auditLog.page(session, input.workspaceId, input)),
    ),
    'dispatcher.delete-workspace': onPool(
      database,
      each(({ input }, session) =>
        deleteWorkspaceRows(session, schema, uuidOf('workspace', input.workspaceId)),
      ),
    ),
    'dispatcher.usage': onPool(database, getUsage),
    'dispatcher.verify-outbox': verifyOutbox({ database, schema, bus: service }),
    'dispatcher.verify-deliveries': verifyDeliveries(service),
  };
}
