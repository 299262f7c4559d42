import { z } from 'zod';
import { apiKeyOperations, keyName, keyOverlapSeconds, keyScopes } from './api-key.js';
import { credentialId, idSchema } from '../../ids.js';
import { defineOperation, serviceNames } from '../../operation.js';
import { afterInput, forwardPagination, idCursor, limitInput } from '../../page.js';
import { email, text, timestamp } from '../../text.js';
import { requestQuota } from './quota.js';
import { userName, userOperations } from './user.js';

/** Format of an API key: `rsk_`, 30 random base62 characters, and 6 characters of checksum. */
export const keyShape = /^rsk_[0-9A-Za-z]{36}$/;

/** Position of a workspace in the order of creation. */
export const workspaceCursor = idCursor('workspace');

const apiKey = z
  .string()
  .meta({ description: 'Returned only once; only its SHA-256 hash is stored.' });

const origins = z
  .array(z.string())
  .optional()
  .meta({ description: 'Origins that the workspace of the key lists.' });

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
  'workspaces.list': defineOperation({
    name: 'workspaces.list',
    summary: 'List workspaces, oldest first',
    service: 'users',
    access: 'read',
    calledBy: ['operator'],
    input: z.strictObject({ limit: limitInput('workspaces'), after: afterInput }),
    output: z.object({
      workspaces: z.array(
        z.object({ id: idSchema('workspace'), name: z.string(), createdAt: timestamp }),
      ),
      pagination: forwardPagination,
    }),
    faults: [],
  }),
  'workspaces.name': defineOperation({
    name: 'workspaces.name',
    summary: 'Get the name of a workspace, for the page of an unsubscribe link',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({ workspaceId: idSchema('workspace') }),
    output: z.object({ name: z.string().nullable() }),
    faults: [],
  }),
  'workspaces.users': defineOperation({
    name: 'workspaces.users',
    summary: 'List the users of a workspace, oldest first',
    service: 'users',
    access: 'read',
    calledBy: ['operator'],
    input: userOperations['users.list'].input.extend({ workspaceId: idSchema('workspace') }),
    output: userOperations['users.list'].output,
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
      name: keyName.optional(),
    }),
    output: z.object({ keyId: idSchema('key'), apiKey }),
    faults: ['not_found', 'limit_reached'],
  }),
  'keys.list': defineOperation({
    name: 'keys.list',
    summary: 'List the API keys of a workspace',
    service: 'users',
    access: 'read',
    calledBy: ['operator'],
    input: apiKeyOperations['api-keys.list'].input.extend({ workspaceId: idSchema('workspace') }),
    output: apiKeyOperations['api-keys.list'].output,
    faults: [],
  }),
  'keys.rotate': defineOperation({
    name: 'keys.rotate',
    summary: 'Rotate the secret of an API key',
    service: 'users',
    access: 'write',
    calledBy: ['operator'],
    resource: 'key',
    input: z.strictObject({ keyId: idSchema('key'), overlapSeconds: keyOverlapSeconds }),
    output: z.object({ keyId: idSchema('key'), apiKey }),
    faults: ['not_found', 'conflict'],
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
  'keys.check': defineOperation({
    name: 'keys.check',
    summary:
      'Find out whether an API key or a session is still valid, on behalf of its browser tokens',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({ workspaceId: idSchema('workspace'), keyId: credentialId }),
    output: z.object({
      valid: z.boolean(),
      /** Whether it is not valid because its workspace is suspended. */
      isSuspended: z.boolean().optional(),
      /** By the clock of the database, which the expiry of tokens is judged by. */
      now: timestamp.optional(),
      origins,
      quota: requestQuota,
    }),
    faults: [],
  }),
  'keys.verify': defineOperation({
    name: 'keys.verify',
    summary:
      'Look up an API key by its SHA-256 and update its last use and the last access time of its user',
    service: 'users',
    access: 'read',
    calledBy: ['gateway'],
    input: z.strictObject({
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      /** Address of the client, for `lastUsedIp`. */
      address: z.string().max(64).optional(),
    }),
    output: z.object({
      keyId: idSchema('key'),
      workspaceId: idSchema('workspace'),
      userId: idSchema('user'),
      scopes: keyScopes,
      expiresAt: timestamp.nullable(),
      origins,
      quota: requestQuota,
      proof: z
        .object({ text: z.string(), validSeconds: z.int() })
        .optional()
        .meta({ description: 'Signed statement about the caller, for other services.' }),
    }),
    faults: ['unauthenticated'],
  }),
  'caller-keys.get': defineOperation({
    name: 'caller-keys.get',
    summary: 'Get the key that verifies statements about callers',
    service: 'users',
    access: 'read',
    calledBy: ['gateway', ...serviceNames],
    input: z.strictObject({}),
    output: z.object({
      publicKey: z
        .string()
        .nullable()
        .meta({ description: '`id:base64` of an Ed25519 key; null if nothing is signed.' }),
    }),
    faults: [],
  }),
};

/** Digits of base62 in ascending order. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const prefixLength = 'rsk_'.length;
const checksumLength = 6;

/**
 * Whether a key ends in the checksum of its random characters. Detects typing errors without a look-up.
 *
 * @param key that matches `keyShape`
 */
export function hasValidChecksum(key: string): boolean {
  const random = key.slice(prefixLength, -checksumLength);
  return key.slice(-checksumLength) === checksumOf(random);
}

/** The last six base62 characters of a key: the CRC-32 (RFC 1952) of the 30 random characters. */
export function checksumOf(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let count = 0; count < checksumLength; count += 1) {
    digits = base62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

// Loaded on first use: an import would cost every process that imports the contracts 1.6 MiB.
const crc32 = (text: string): number => process.getBuiltinModule('node:zlib').crc32(text);
