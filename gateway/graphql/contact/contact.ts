import type { Operations, OutputOf } from '@roster/contracts';
import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { Node } from '../node/node.js';
import { DateTime, EmailAddress, JSONObject } from '../scalars.js';

export type ContactShape = OutputOf<Operations['contacts.get']>['contact'];

/** The states' names in GraphQL, and in the contracts. */
const ContactStatus = {
  SUBSCRIBED: 'subscribed',
  UNSUBSCRIBED: 'unsubscribed',
} as const satisfies Record<Uppercase<ContactShape['status']>, ContactShape['status']>;
registerEnumType(ContactStatus, {
  name: 'ContactStatus',
  description: 'Whether a contact wants to be written to.',
});

@ObjectType({ implements: Node, description: 'Somebody the workspace knows.' })
export class Contact extends Node implements ContactShape {
  @Field(() => EmailAddress, { description: 'As sent; unique in the workspace ignoring case.' })
  email!: string;

  @Field(() => String, { description: 'At most 256 characters; empty when nobody gave one.' })
  name!: string;

  @Field(() => [String], { description: 'At most 100, each once, in the order given.' })
  tags!: string[];

  @Field(() => JSONObject, {
    description: 'Values by the name of their contact property, all of them strings.',
  })
  properties!: Record<string, string>;

  @Field(() => ContactStatus)
  status!: ContactShape['status'];

  @Field(() => DateTime)
  createdAt!: string;
}
