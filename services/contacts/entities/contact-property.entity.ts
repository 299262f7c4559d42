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
    /** A `ContactPropertyType`. */
    type: p.text().default('string'),
    description: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  uniques: [{ name: 'contact_properties_name', properties: ['workspaceId', 'name'] }],
});

/** A workspace that has or had a property of a type other than `string`. Triggers compare the values of its contacts. */
export const TypedWorkspace = defineEntity({
  name: 'TypedWorkspace',
  tableName: 'typed_workspaces',
  schema: 'contacts',
  properties: { workspaceId: p.uuid().primary() },
});

export type ContactProperty = InferEntity<typeof ContactProperty>;
