import { z } from 'zod';
import { credentialId, idSchema } from '../../ids.js';
import { defineOperation, scopes, anyScope } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { email, inputTimestamp, text, timestamp, overlapSeconds } from '../../text.js';
import { tokenOperationsMax } from './token.js';

/** Maximum number of API keys of a workspace that are not revoked. */
export const apiKeysMax = 1000;

/** Position of an API key in the order of creation. */
export const apiKeyCursor = idCursor('key');

export const keyScopes = z.array(z.enum(scopes)).min(1).max(scopes.length);
export const keyName = text(1, 128);
export const keyOverlapSeconds = overlapSeconds('How long the previous secret remains valid.');

export const apiKey = z
  .object({
    id: idSchema('key'),
    prefix: z
      .string()
      .nullable()
      .meta({ description: 'First characters of the secret; null if they were not recorded.' }),
    name: z.string(),
    scopes: keyScopes,
    userId: idSchema('user'),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().meta({ description: 'Recorded about once a minute.' }),
    lastUsedIp: z.string().nullable().meta({ description: 'Address of that use.' }),
    signInEmail: z
      .string()
      .nullable()
      // Until 0.4.0: a users service of 0.2.0 has none.
      .optional()
      .meta({ description: 'Who may sign in to the console with OpenID Connect, as the key.' }),
  })
  .meta({ id: 'ApiKey' });

const one = z.object({ apiKey });
const withSecret = one.extend({
  secret: z.string().meta({ description: 'Returned only once; only its hash is stored.' }),
});
const keyId = idSchema('key');
const tag = 'API keys';

export const named = (kind: 'user' | 'workspace') =>
  z.object({ id: idSchema(kind), name: z.string() });

/** What a caller learns of its own key. */
const currentKey = z
  .object({
    id: credentialId.meta({ description: 'Of the session, for its tokens: `ses_…`.' }),
    name: z.string(),
    scopes: keyScopes.meta({ description: 'Those of the browser token, if it has fewer.' }),
    workspace: named('workspace'),
    user: named('user').meta({ description: 'The user that the API key belongs to.' }),
    createdAt: timestamp,
    expiresAt: timestamp
      .nullable()
      .meta({ description: 'Of the API key, also for a browser token; null without an expiry.' }),
    token: z
      .object({
        readOnly: z.boolean(),
        operations: z.array(z.string()).nullable().meta({ maxItems: tokenOperationsMax }),
      })
      .nullable()
      .meta({ description: 'What the browser token allows; null for an API key.' }),
  })
  .meta({ id: 'CurrentKey' });

/** Operations on the API keys of the caller's workspace. Those of `key.ts` are for operators. */
export const apiKeyOperations = {
  'api-keys.list': defineOperation({
    name: 'api-keys.list',
    summary: 'List API keys',
    service: 'users',
    access: 'read',
    scope: 'user',
    requiresKey: true,
    tag,
    http: { method: 'GET', path: '/v1/api-keys', status: 200 },
    input: z.strictObject({ limit: limitInput('API keys'), after: afterInput }),
    output: z.object({ apiKeys: z.array(apiKey), pagination: forwardPagination }),
    faults: [],
  }),
  'api-keys.get': defineOperation({
    name: 'api-keys.get',
    summary: 'Get an API key',
    service: 'users',
    access: 'read',
    scope: 'user',
    requiresKey: true,
    resource: 'key',
    tag,
    http: {
      method: 'GET',
      path: '/v1/api-keys/{keyId}',
      status: 200,
      etag: { maintained: ['lastUsedAt', 'lastUsedIp'] },
    },
    input: z.strictObject({ keyId }),
    output: one,
    faults: ['not_found'],
  }),
  'api-keys.create': defineOperation({
    name: 'api-keys.create',
    summary: 'Create an API key',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    containsSecret: true,
    requiresKey: true,
    tag,
    http: { method: 'POST', path: '/v1/api-keys', status: 201 },
    input: z.strictObject({
      name: keyName,
      scopes: keyScopes.meta({
        description: 'At most those of the key that the request is sent with.',
        examples: [['user']],
      }),
      expiresAt: inputTimestamp.optional().meta({
        description:
          'In the future, and not later than the expiry of the key that the request is sent with, which is the default.',
      }),
      userId: idSchema('user')
        .optional()
        .meta({ description: 'A user of the workspace. Defaults to the authenticated user.' }),
    }),
    output: withSecret,
    faults: ['conflict', 'limit_reached'],
  }),
  'api-keys.rotate': defineOperation({
    name: 'api-keys.rotate',
    summary: 'Rotate the secret of an API key',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    containsSecret: true,
    requiresKey: true,
    resource: 'key',
    tag,
    http: { method: 'POST', path: '/v1/api-keys/{keyId}/rotate', status: 200 },
    input: z.strictObject({ keyId, overlapSeconds: keyOverlapSeconds }),
    output: withSecret,
    faults: ['not_found', 'conflict'],
  }),
  'api-keys.set-sign-in': defineOperation({
    name: 'api-keys.set-sign-in',
    summary: 'Set who may sign in to the console with OpenID Connect, as an API key',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    requiresKey: true,
    resource: 'key',
    tag,
    http: { method: 'POST', path: '/v1/api-keys/{keyId}/sign-in', status: 200 },
    input: z.strictObject({
      keyId,
      email: email.optional().meta({
        description:
          'The address that the identity provider has verified. Without it, nobody may sign in.',
      }),
    }),
    output: one,
    faults: ['not_found', 'conflict'],
  }),
  'api-keys.delete': defineOperation({
    name: 'api-keys.delete',
    summary: 'Revoke an API key; takes effect within a second',
    service: 'users',
    access: 'write',
    audited: true,
    scope: 'user',
    requiresKey: true,
    resource: 'key',
    tag,
    http: { method: 'DELETE', path: '/v1/api-keys/{keyId}', status: 200 },
    input: z.strictObject({ keyId }),
    output: z.object({ deleted: z.literal(true) }),
    faults: ['not_found', 'conflict', 'precondition_failed'],
  }),
  'key.get': defineOperation({
    name: 'key.get',
    summary: 'Get the API key that the request is sent with',
    service: 'users',
    access: 'read',
    scope: anyScope,
    tag: 'API keys',
    http: { method: 'GET', path: '/v1/key', status: 200, etag: { maintained: [] } },
    input: z.strictObject({}),
    output: z.object({ key: currentKey }),
    faults: [],
  }),
};
