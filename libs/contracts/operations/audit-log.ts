import { z } from 'zod';
import { decodeId, idPrefixes, idSchema } from '../ids.js';
import { defineOperation } from '../operation.js';
import { afterInput, forwardPagination, pageMax } from '../page.js';
import { inputTimestamp, timestamp } from '../text.js';

export const auditActions = [
  'user.created',
  'user.updated',
  'api_key.created',
  'api_key.rotated',
  'api_key.deleted',
  'token.created',
  'webhook.created',
  'webhook.updated',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.deleted',
  'webhook.token_rotated',
  'webhook.token_read',
] as const;
export type AuditAction = (typeof auditActions)[number];

const cursorStart = idPrefixes.auditEntry.length + 1;

/** Position of an entry in the audit log: its ID without the prefix. Opaque to clients. */
export const auditCursor = {
  of: (id: string): string => id.slice(cursorStart),
  /** The UUID of the entry, or undefined if the text is not a cursor. */
  uuid: (cursor: string): string | undefined =>
    decodeId('auditEntry', `${idPrefixes.auditEntry}_${cursor}`),
};

const state = z.record(z.string(), z.unknown()).nullable();

export const auditEntry = z
  .object({
    id: idSchema('auditEntry'),
    action: z.string(),
    actor: idSchema('user')
      .nullable()
      .meta({ description: 'The user who did it; null for an operator.' }),
    keyId: idSchema('key').nullable().meta({ description: 'The API key of the request.' }),
    address: z.string().nullable().meta({ description: 'Address of the client, if known.' }),
    requestId: z.string(),
    resourceId: z.string().meta({ description: 'ID of the resource that it concerns.' }),
    before: state.meta({ description: 'The state before the change, without secrets.' }),
    after: state.meta({ description: 'The state after the change, without secrets.' }),
    createdAt: timestamp,
  })
  .meta({ id: 'AuditEntry' });

const input = z.strictObject({
  limit: z
    .int()
    .min(1)
    .transform((limit) => Math.min(limit, pageMax))
    .default(50)
    .meta({
      description: `Maximum number of entries to return. Greater values than ${pageMax} are reduced to it.`,
    }),
  after: afterInput,
  action: z.enum(auditActions).optional().meta({ description: 'Only entries with this action.' }),
  actor: idSchema('user').optional().meta({ description: 'Only entries of this user.' }),
  since: inputTimestamp.optional().meta({ description: 'Only entries at or after this time.' }),
});
const output = z.object({ entries: z.array(auditEntry), pagination: forwardPagination });

export const auditLogOperations = {
  'audit-log.list': defineOperation({
    name: 'audit-log.list',
    summary: 'List the audit log, newest first',
    service: 'users',
    access: 'read',
    scope: 'user',
    tag: 'Audit log',
    http: { method: 'GET', path: '/v1/audit-log', status: 200 },
    input,
    output,
    faults: [],
  }),
};

/** Served by the webhooks service, which has the entries of webhooks. */
export const webhookAuditOperations = {
  'webhooks.audit-entries': defineOperation({
    name: 'webhooks.audit-entries',
    summary: 'List the entries of the audit log about webhooks, newest first',
    service: 'webhooks',
    access: 'read',
    calledBy: ['users'],
    input: input.extend({ workspaceId: idSchema('workspace') }),
    output,
    faults: [],
  }),
};
