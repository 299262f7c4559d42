import { tagsMax, type Operations, type OutputOf } from '@roster/contracts';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { Cost } from '../../document/field-cost.js';
import { Node } from '../node/node.js';
import { DateTime, EmailAddress, JSONObject } from '../../scalars.js';

export type ContactShape = OutputOf<Operations['contacts.get']>['contact'];

/** Status names in GraphQL and in the contracts. */
export const ContactStatus = {
  SUBSCRIBED: 'subscribed',
  UNSUBSCRIBED: 'unsubscribed',
} as const satisfies Record<Uppercase<ContactShape['status']>, ContactShape['status']>;
registerEnumType(ContactStatus, {
  name: 'ContactStatus',
  description: 'Subscription status of a contact.',
});

@ObjectType({ implements: Node, description: 'A contact of the workspace.' })
export class Contact extends Node implements Omit<ContactShape, 'unsubscribeUrl'> {
  @Field(() => EmailAddress, {
    description: 'As given. Unique within the workspace, ignoring case.',
  })
  email!: string;

  @Field(() => String, { description: 'At most 256 characters. Empty when not set.' })
  name!: string;

  @Cost({ entriesMax: tagsMax })
  @Field(() => [String], { description: 'At most 100 unique tags, in the order given.' })
  tags!: string[];

  @Field(() => JSONObject, {
    description: 'String values, keyed by the name of the contact property.',
  })
  properties!: Record<string, string>;

  @Field(() => ContactStatus)
  status!: ContactShape['status'];

  @Field(() => DateTime)
  createdAt!: string;
}
