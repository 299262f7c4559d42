import type { Operations, OutputOf } from '@roster/contracts';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../node/node.js';
import { DateTime } from '../../scalars.js';

export type ContactPropertyShape = OutputOf<Operations['contact-properties.create']>['property'];

export const ContactPropertyType = { STRING: 'string' } as const satisfies Record<
  Uppercase<ContactPropertyShape['type']>,
  ContactPropertyShape['type']
>;
registerEnumType(ContactPropertyType, {
  name: 'ContactPropertyType',
  description: 'Type of the values of a contact property.',
});

@ObjectType({
  implements: Node,
  description: 'Definition of a custom field of contacts.',
})
export class ContactProperty extends Node implements ContactPropertyShape {
  @Field(() => String, {
    description: "Key in a contact's `properties`. Unique within the workspace.",
  })
  name!: string;

  @Field(() => String, { description: 'Human-readable label.' })
  label!: string;

  @Field(() => ContactPropertyType)
  type!: ContactPropertyShape['type'];

  // Has its own resolver, because lists do not contain it.
  description?: string | undefined;

  @Field(() => DateTime)
  createdAt!: string;
}
