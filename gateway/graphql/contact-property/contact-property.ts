import type { Operations, OutputOf } from '@roster/contracts';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../node/node.js';
import { DateTime } from '../scalars.js';

export type ContactPropertyShape = OutputOf<Operations['contact-properties.create']>['property'];

export const ContactPropertyType = { STRING: 'string' } as const satisfies Record<
  Uppercase<ContactPropertyShape['type']>,
  ContactPropertyShape['type']
>;
registerEnumType(ContactPropertyType, {
  name: 'ContactPropertyType',
  description: 'What the values of a contact property are.',
});

@ObjectType({
  implements: Node,
  description: "The definition of a field that the workspace's contacts carry.",
})
export class ContactProperty extends Node implements ContactPropertyShape {
  @Field(() => String, { description: "Its key in a contact's `properties`; unique." })
  name!: string;

  @Field(() => String, { description: 'For people to read.' })
  label!: string;

  @Field(() => ContactPropertyType)
  type!: ContactPropertyShape['type'];

  // Resolved by itself: lists come without it.
  description?: string | undefined;

  @Field(() => DateTime)
  createdAt!: string;
}
