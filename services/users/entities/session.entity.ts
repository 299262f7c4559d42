import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ApiKey } from './api-key.entity.js';

/** @param name of the table */
export const ofKey = (name: string) =>
  p
    .manyToOne(ApiKey)
    .mapToPk()
    .joinColumns('workspace_id', 'key_id')
    .foreignKeyName(`${name}_workspace_id_key_id_fkey`)
    .updateRule('no action')
    .deleteRule('cascade');

/** Whether who signed in with OpenID Connect got it: it ends when they may not any more. */
const byIdentity = p.boolean().default(false);

/** A browser in which a user signed in to the console. It may do what the API key may, and ends with it. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'sessions',
  schema: 'users',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Workspace and ID of the API key. */
    key: ofKey('sessions'),
    sha256: p.blob(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    lastUsedAt: p.datetime(3),
    address: p.text().nullable(),
    userAgent: p.text().nullable(),
    byIdentity,
  },
  // A session is looked up without its workspace: the hash determines it.
  uniques: [{ name: 'sessions_sha256', properties: 'sha256' }],
  indexes: [{ name: 'sessions_key', properties: ['workspaceId', 'key'] }],
  checks: [{ name: 'sessions_sha256_check', expression: 'length(sha256) = 32' }],
});

export type ConsoleSession = InferEntity<typeof ConsoleSession>;

/** Opens a session once. The row is deleted when it does. */
export const SessionLink = defineEntity({
  name: 'SessionLink',
  tableName: 'session_links',
  schema: 'users',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    key: ofKey('session_links'),
    sha256: p.blob(),
    expiresAt: p.datetime(3),
    byIdentity,
  },
  uniques: [{ name: 'session_links_sha256', properties: 'sha256' }],
  indexes: [{ name: 'session_links_key', properties: ['workspaceId', 'key'] }],
  checks: [{ name: 'session_links_sha256_check', expression: 'length(sha256) = 32' }],
});
