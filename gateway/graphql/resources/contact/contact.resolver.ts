import { Arg, FieldResolver, Resolver, Root } from 'type-graphql';
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
}
