import type { PropertyValue } from '@roster/contracts';
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A contact. Read and written by SQL only: see libs/storage/database/README.md. */
export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    email: p.text(),
    /** `emailKey` of the email, computed by the service: it does not depend on the locale of the database. */
    emailKey: p.text().collation('C'),
    name: p.text(),
    /**
     * `nameWords` of the name, computed by the service: it depends neither on the locale nor on the release of the database. Never
     * null, but declared so until 0.4.0: triggers add it to the rows of 0.2.0.
     */
    nameWords: p.string().columnType('tsvector').nullable(),
    tags: p.json<string[]>(),
    properties: p.json<Record<string, PropertyValue>>(),
    status: p.text().default('subscribed'),
    /** ID of the last change; null if the contact has not changed since it was created. See `writing/turns.ts`. */
    changeId: p.uuid().nullable(),
    /** 1, and one more with each change. */
    version: p.integer().default(1),
    /** ID in another system. */
    externalId: p.text().collation('C').nullable(),
    /** The time of the ID. Until 0.4.0: 0.2.0 reads it, and writes that of its clock. */
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'contacts_email', properties: ['workspaceId', 'emailKey'] }],
  indexes: [
    {
      name: 'contacts_external_id',
      expression: `create unique index contacts_external_id on contacts.contacts (workspace_id, external_id) where external_id is not null`,
    },
    {
      name: 'contacts_names',
      expression: `create index contacts_names on contacts.contacts (workspace_id, (lower(left(name, 100) collate "C") || E'\\t' || id::text))`,
    },
    {
      name: 'contacts_changes',
      expression: `create index contacts_changes on contacts.contacts (workspace_id, (coalesce(change_id, id)))`,
    },
    {
      name: 'contacts_unsubscribed',
      expression: `create index contacts_unsubscribed on contacts.contacts (workspace_id, id) where status = 'unsubscribed'`,
    },
    {
      name: 'contacts_search',
      expression: `create index contacts_search on contacts.contacts using gin (workspace_id, tags jsonb_path_ops, properties jsonb_path_ops, name_words) with (gin_pending_list_limit = 256)`,
    },
  ],
  checks: [
    { name: 'contacts_status_check', expression: `status in ('subscribed', 'unsubscribed')` },
  ],
});

export type Contact = InferEntity<typeof Contact>;

/**
 * The addresses of contacts, of which any part can be found. Triggers on contacts maintain them: an index of contacts would be
 * written by every update.
 */
export const Address = defineEntity({
  name: 'Address',
  tableName: 'addresses',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** The key of the address in ASCII: other bytes are a backslash and three octal digits. */
    address: p.text().collation('C'),
  },
  indexes: [
    {
      name: 'addresses_parts',
      expression: `create index addresses_parts on contacts.addresses using gin (workspace_id, address roster_extensions.gin_trgm_ops) with (gin_pending_list_limit = 256)`,
    },
  ],
});

/** The number of contacts of a workspace is the sum of its slots. Triggers on contacts maintain them. */
export const Counter = defineEntity({
  name: 'Counter',
  tableName: 'counters',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    slot: p.smallint().primary(),
    total: p.bigint('number'),
  },
});

/**
 * The number of contacts with each tag, and with an empty one, which no contact can have, that of unsubscribed ones. Triggers on
 * contacts maintain them.
 */
export const TagCounter = defineEntity({
  name: 'TagCounter',
  tableName: 'tag_counters',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    tag: p.text().collation('C').primary(),
    contacts: p.bigint('number'),
  },
});

/**
 * The greatest ID of a contact or a change of each workspace. Writes of contacts lock the row of their workspace, so that these IDs
 * become visible in ascending order, and a client that pages by them skips none.
 */
export const Watermark = defineEntity({
  name: 'Watermark',
  tableName: 'watermarks',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    lastId: p.uuid(),
    /** Whether an address of the workspace was ever suppressed. */
    hasSuppressions: p.boolean().default(false),
  },
});
