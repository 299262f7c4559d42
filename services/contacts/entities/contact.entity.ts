import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The main resource. Read and written by SQL alone: see libs/service/database/README.md. */
export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    email: p.text(),
    /** The address in lower case, made by the service: the same on every server, whatever its locale. */
    emailKey: p.text().collation('C'),
    name: p.text(),
    tags: p.json<string[]>(),
    properties: p.json<Record<string, string>>(),
    status: p.text().default('subscribed'),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'contacts_email', properties: ['workspaceId', 'emailKey'] }],
  checks: [
    { name: 'contacts_status_check', expression: `status in ('subscribed', 'unsubscribed')` },
  ],
});

export type Contact = InferEntity<typeof Contact>;
