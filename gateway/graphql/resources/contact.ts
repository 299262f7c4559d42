import { operations, type Operations, type OutputOf } from '@roster/contracts';
import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { Node, NodeType } from './node.js';

export type ContactShape = OutputOf<Operations['contacts.get']>['contact'];

@NodeType(
  'A contact of the workspace.',
  // Has its own resolver, because contacts have it only on request.
  operations['contacts.get'].output.shape.contact.omit({ unsubscribeUrl: true }),
  {
    email: 'As given. Unique within the workspace, ignoring case.',
    name: 'At most 256 characters. Empty when not set.',
    tags: 'At most 100 unique tags, in the order given.',
    properties: 'Values, keyed by the name of the contact property, of the type that it has.',
  },
)
export class Contact extends Node {}

@Resolver(() => Contact)
export class ContactResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Value of a contact property as a text; null if the contact does not have it.',
  })
  property(
    @Root() { properties }: ContactShape,
    @Arg('name', () => String) name: string,
  ): string | null {
    return Object.hasOwn(properties, name) ? String(properties[name]) : null;
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Address at which the contact can unsubscribe, without a key; null if the installation has no public address. Requires the scope `user`.',
  })
  async unsubscribeUrl(
    @Root() { id }: ContactShape,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<string | null> {
    const input = { contactId: id, include: ['unsubscribeUrl'] };
    return (await calls.find('contacts.get', input))?.contact.unsubscribeUrl ?? null;
  }
}
