import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { ofKey } from './session.entity.js';

/** Downloads an export once. The row is deleted when it does. */
export const ExportLink = defineEntity({
  name: 'ExportLink',
  tableName: 'export_links',
  schema: 'users',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    key: ofKey('export_links'),
    /** The session that made it, with which it ends. Null if the key itself did. */
    sessionId: p.uuid().nullable(),
    sha256: p.blob(),
    /** Format and filter of the export. */
    input: p.json(),
    expiresAt: p.datetime(3),
  },
  // A link is looked up without its workspace: the hash determines it.
  uniques: [{ name: 'export_links_sha256', properties: 'sha256' }],
  indexes: [{ name: 'export_links_key', properties: ['workspaceId', 'key'] }],
  checks: [{ name: 'export_links_sha256_check', expression: 'length(sha256) = 32' }],
});

export type ExportLink = InferEntity<typeof ExportLink>;
