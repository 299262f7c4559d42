import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The definition of a field that a workspace's contacts carry. */
export const ContactProperty = defineEntity({
  name: 'ContactProperty',
  tableName: 'contact_properties',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    label: p.text(),
    description: p.text().nullable(),
    createdAt: p.datetime(),
  },
});

export type ContactProperty = InferEntity<typeof ContactProperty>;
