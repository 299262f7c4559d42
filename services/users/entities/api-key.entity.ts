import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { User } from './user.entity.js';

/** Authenticates a program as a user. The key itself is not stored. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  schema: 'users',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** Workspace and ID of the user. */
    user: p
      .manyToOne(User)
      .mapToPk()
      .joinColumns('workspace_id', 'user_id')
      .foreignKeyName('api_keys_workspace_id_user_id_fkey')
      .updateRule('no action'),
    sha256: p.blob(),
    /** The secret before the last rotation, valid in addition until then. */
    previousSha256: p.blob().nullable(),
    previousUntil: p.datetime(3).nullable(),
    /** First characters of the secret. Null for keys of earlier releases. */
    prefix: p.text().nullable(),
    name: p.text().default(''),
    scopes: p.array(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    /** How many days before its expiry an event last announced it. See `announceExpiringKeys`. */
    announcedDays: p.integer().nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** See `verifyKey`. */
    lastUsedAt: p.datetime(3).nullable(),
    lastUsedIp: p.text().nullable(),
    /** Who may sign in to the console as the key. */
    signInEmail: p.text().nullable(),
    /** `emailKey` of the email. */
    signInEmailKey: p.text().collation('C').nullable(),
    /** The identity that signed in first with the email. From then on, the email does not count. */
    signInIssuer: p.text().nullable(),
    signInSubject: p.text().nullable(),
  },
  uniques: [
    { name: 'api_keys_id', properties: 'id' },
    // A key is looked up without its workspace: the hash determines it.
    { name: 'api_keys_sha256', properties: 'sha256' },
  ],
  indexes: [
    {
      name: 'api_keys_previous_sha256',
      properties: 'previousSha256',
      where: 'previous_sha256 is not null',
    },
    {
      name: 'api_keys_sign_in_email',
      properties: ['signInEmailKey', 'workspaceId'],
      where: 'sign_in_email_key is not null and revoked_at is null',
    },
    {
      name: 'api_keys_sign_in_subject',
      properties: 'signInSubject',
      where: 'sign_in_subject is not null',
    },
  ],
  checks: [
    { name: 'api_keys_sha256_check', expression: 'length(sha256) = 32' },
    { name: 'api_keys_scopes_check', expression: 'cardinality(scopes) > 0' },
  ],
});

export type ApiKey = InferEntity<typeof ApiKey>;
