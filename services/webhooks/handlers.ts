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
import { createWebhook } from './operations/create-webhook.js';
import { deleteWebhook } from './operations/delete-webhook.js';
import { disableWebhook, shutOffWebhook } from './operations/disable-webhook.js';
import { enableWebhook } from './operations/enable-webhook.js';
import { findWebhook, getWebhook, listWebhooks } from './operations/read-webhooks.js';
import { listSubscriptions } from './operations/list-subscriptions.js';
import { reportHealth } from './operations/report-health.js';
import { returnAgain } from './operations/return-again.js';
import { rotateToken } from './operations/rotate-token.js';
import { setSuspension } from './operations/set-suspension.js';
import { auditLog, schema, type WebhooksService } from './service.js';
import { updateWebhook } from './operations/update-webhook.js';

/** The operations that this service serves. */
export function handlers(service: WebhooksService): HandlerTable<'webhooks'> {
  const { database, cipher } = service;
  // Stored responses contain tokens, except those of deletions: they are encrypted like tokens, and returned
  // again only to those who may read them.
  const write = <Name extends keyof HandlerTable<'webhooks'>>(
    name: Name,
    handler: SessionHandler<Operations[Name]>,
  ): Handler<Operations[Name]> =>
    idempotent<Operations[Name]>(database, schema, name, handler, {
      cipher,
      ...(name !== 'webhooks.delete' && { onRepeat: returnAgain(service) }),
    });
  return {
    'webhooks.list': listWebhooks(service),
    'webhooks.get': getWebhook(service),
    'webhooks.find': findWebhook(service),
    'webhooks.create': write('webhooks.create', createWebhook(service)),
    'webhooks.update': write('webhooks.update', updateWebhook(service)),
    'webhooks.delete': write('webhooks.delete', deleteWebhook(service)),
    'webhooks.rotate-token': write('webhooks.rotate-token', rotateToken(service)),
    'webhooks.enable': write('webhooks.enable', enableWebhook(service)),
    'webhooks.disable': write('webhooks.disable', disableWebhook(service)),
    'webhooks.subscriptions': listSubscriptions(service),
    'webhooks.audit-entries': onPool(
      database,
      each(({ input }, session) => auditLog.page(session, input.workspaceId, input)),
    ),
    'webhooks.verify-outbox': verifyOutbox({ ...service, schema }),
    'webhook-suspensions.set': onPool(database, setSuspension(service)),
    'webhooks.delete-workspace': onPool(
      database,
      each(({ input }, session) =>
        deleteWorkspaceRows(session, schema, uuidOf('workspace', input.workspaceId)),
      ),
    ),
    'webhooks.shut-off': onPool(database, shutOffWebhook(service)),
    'webhooks.report-health': reportHealth(service),
  };
}
