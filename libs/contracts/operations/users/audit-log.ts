import { z } from 'zod';
import { credentialId, idSchema } from '../../ids.js';
import { defineOperation, type ServiceName } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { inputTimestamp, timestamp } from '../../text.js';

/** By the service that records them. */
export const auditActionsOf = {
  users: [
    'user.created',
    'user.updated',
    'user.deleted',
    'api_key.created',
    'api_key.rotated',
    'api_key.sign_in_updated',
    'api_key.deleted',
    'token.created',
    'origins.updated',
    'session_link.created',
    'session.created',
    'session.deleted',
    'workspace.updated',
    'workspace.suspended',
    'workspace.resumed',
  ],
  webhooks: [
    'webhook.created',
    'webhook.updated',
    'webhook.enabled',
    'webhook.disabled',
    'webhook.deleted',
    'webhook.token_rotated',
    'webhook.token_read',
  ],
  contacts: [
    'settings.updated',
    'import.created',
    'import.cancelled',
    'contact_action.created',
    'contact_action.cancelled',
    'contact.deleted',
    'contact.erased',
    'contact.resubscribed',
    'contact_property.deleted',
    'contacts.batch_applied',
    'contacts.exported',
    'suppression.created',
    'suppression.deleted',
    'suppressions.imported',
  ],
  dispatcher: ['replay.created', 'replay.cancelled', 'delivery.retried'],
} as const satisfies Partial<Record<ServiceName, readonly string[]>>;
export const auditActions = [
  ...auditActionsOf.users,
  ...auditActionsOf.webhooks,
  ...auditActionsOf.contacts,
  ...auditActionsOf.dispatcher,
] as const;
export type AuditAction = (typeof auditActions)[number];

/** A user, an operator, or the system itself. */
const auditActorTypes = ['user', 'operator', 'system'] as const;
export type AuditActorType = (typeof auditActorTypes)[number];

/**
 * Maximum number of entries that a workspace writes per day (UTC) and service that records them. Calls beyond it are answered
 * `rate_limited`.
 */
export const auditEntriesMax = 250_000;

/**
 * Maximum number of entries for creating and rotating API keys that are written beyond it. A leaked browser token, or a leaked key
 * without the scope `user`, can reach the limit, but cannot make keys: the last key of the workspace can still be replaced.
 */
export const auditKeyEntriesMax = 1000;

/** Position of an entry in the audit log. */
export const auditCursor = idCursor('auditEntry');

const state = z.record(z.string(), z.unknown()).nullable();

/** As the services store it. */
const storedEntry = z.object({
  id: idSchema('auditEntry'),
  action: z.string(),
  actor: idSchema('user')
    .nullable()
    .meta({ description: 'The user who did it; null for an operator and for the system.' }),
  actorType: z.enum(auditActorTypes).meta({
    description: '`system`: a change without a request, such as disabling a webhook that fails.',
  }),
  keyId: credentialId
    .nullable()
    .meta({ description: 'The API key of the request, or the session of the console.' }),
  address: z.string().nullable().meta({ description: 'Address of the client, if known.' }),
  requestId: z.string(),
  resourceId: z.string().meta({ description: 'ID of the resource that it concerns.' }),
  before: state.meta({ description: 'The state before the change, without secrets.' }),
  after: state.meta({ description: 'The state after the change, without secrets.' }),
  createdAt: timestamp,
});

export const auditEntry = storedEntry
  .extend({
    actorName: z.string().nullable().meta({
      description:
        'The present name of the user who did it; null for a deleted user, an operator and the system.',
    }),
  })
  .meta({ id: 'AuditEntry' });

const input = z.strictObject({
  limit: limitInput('entries'),
  after: afterInput,
  action: z.enum(auditActions).optional().meta({ description: 'Only entries with this action.' }),
  actor: idSchema('user').optional().meta({ description: 'Only entries of this user.' }),
  since: inputTimestamp.optional().meta({ description: 'Only entries at or after this time.' }),
});
const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({ entries: z.array(entry), pagination: forwardPagination });
const output = listOf(storedEntry);

export const auditLogOperations = {
  'audit-log.list': defineOperation({
    name: 'audit-log.list',
    summary: 'List the audit log, newest first',
    service: 'users',
    callsServices: ['webhooks', 'contacts', 'dispatcher'],
    access: 'read',
    scope: 'user',
    mustBeNamed: true,
    tag: 'Audit log',
    http: { method: 'GET', path: '/v1/audit-log', status: 200 },
    input,
    output: listOf(auditEntry),
    faults: [],
  }),
};

const ofWorkspace = input.extend({ workspaceId: idSchema('workspace') });

/** The users service merges the entries of the other services with its own. */
export const webhookAuditOperations = {
  'webhooks.audit-entries': defineOperation({
    name: 'webhooks.audit-entries',
    summary: 'List the entries of the audit log about webhooks, newest first',
    service: 'webhooks',
    access: 'read',
    calledBy: ['users'],
    input: ofWorkspace,
    output,
    faults: [],
  }),
};

export const contactAuditOperations = {
  'contacts.audit-entries': defineOperation({
    name: 'contacts.audit-entries',
    summary: 'List the entries of the audit log about contacts and settings, newest first',
    service: 'contacts',
    access: 'read',
    calledBy: ['users'],
    input: ofWorkspace,
    output,
    faults: [],
  }),
};

export const dispatcherAuditOperations = {
  'dispatcher.audit-entries': defineOperation({
    name: 'dispatcher.audit-entries',
    summary: 'List the entries of the audit log about replays and retries, newest first',
    service: 'dispatcher',
    access: 'read',
    calledBy: ['users'],
    input: ofWorkspace,
    output,
    faults: [],
  }),
};
