import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { Contact } from './contact.js';

@Resolver(() => Contact)
export class ContactResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Value of a contact property; null if the contact does not have it.',
  })
  property(
    @Root() { properties }: Contact,
    @Arg('name', () => String) name: string,
  ): string | null {
    return Object.hasOwn(properties, name) ? properties[name]! : null;
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => String, {
    nullable: true,
    description:
      'Address at which the contact can unsubscribe, without a key; null if the installation has no public address. Requires the scope `user`.',
  })
  async unsubscribeUrl(
    @Root() { id }: Contact,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<string | null> {
    const input = { contactId: id, include: ['unsubscribeUrl'] };
    return (await operations.find('contacts.get', input))?.contact.unsubscribeUrl ?? null;
  }
}
