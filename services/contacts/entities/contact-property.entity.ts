import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** Definition of a property of the contacts of a workspace. */
export const ContactProperty = defineEntity({
  name: 'ContactProperty',
  tableName: 'contact_properties',
  schema: 'contacts',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text().collation('C'),
    label: p.text(),
    description: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'contact_properties_name', properties: ['workspaceId', 'name'] }],
});

export type ContactProperty = InferEntity<typeof ContactProperty>;
