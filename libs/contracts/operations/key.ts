import { z } from 'zod';
import { idSchema } from '../ids.js';
import { defineOperation, scopes } from '../operation.js';
import { email, text, timestamp } from '../text.js';
import { userName } from './user.js';

/** Format of an API key: `rsk_`, 30 random base62 characters, and 6 characters of checksum. */
export const keyShape = /^rsk_[0-9A-Za-z]{36}$/;

const keyScopes = z.array(z.enum(scopes)).min(1).max(scopes.length);
const apiKey = z
  .string()
  .meta({ description: 'Returned only once; only its SHA-256 hash is stored.' });

/** Internal operations on workspaces and API keys, called by the gateway and the command line. */
export const keyOperations = {
  'workspaces.create': defineOperation({
    name: 'workspaces.create',
    summary: 'Create a workspace with an owner and an API key that holds both scopes',
    service: 'users',
    access: 'write',
    calledBy: ['operator'],
    input: z.strictObject({ name: text(1, 128), ownerEmail: email, ownerName: userName }),
    output: z.object({ workspaceId: idSchema('workspace'), userId: idSchema('user'), apiKey }),
    faults: [],
  }),
  'keys.create': defineOperation({
    name: 'keys.create',
    summary: 'Create an API key for a user',
    service: 'users',
    access: 'write',
    calledBy: ['operator'],
    resource: 'user',
    input: z.strictObject({
      userId: idSchema('user'),
      scopes: keyScopes,
      expiresAt: timestamp.optional(),
    }),
    output: z.object({ keyId: idSchema('key'), apiKey }),
    faults: ['not_found'],
  }),
  'keys.revoke': defineOperation({
    name: 'keys.revoke',
    summary: 'Revoke an API key; takes effect within a second',
    service: 'users',
    access: 'write',
    calledBy: ['operator'],
    resource: 'key',
    input: z.strictObject({ keyId: idSchema('key') }),
    output: z.object({ revoked: z.literal(true) }),
    faults: ['not_found'],
  }),
  'keys.verify': defineOperation({
    name: 'keys.verify',
    summary: 'Look up an API key by its SHA-256 and update the last access time of its user',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
    output: z.object({
      keyId: idSchema('key'),
      workspaceId: idSchema('workspace'),
      userId: idSchema('user'),
      scopes: keyScopes,
      expiresAt: timestamp.nullable(),
    }),
    faults: ['unauthenticated'],
  }),
};
