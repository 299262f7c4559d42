import {
  contactPropertiesMax,
  contactPropertyCursor,
  type CallInputOf,
  type Operations,
} from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { ListArguments } from '../node/list-page.js';
import { ContactProperty, ContactPropertyType } from './contact-property.js';

/** Marks entries of lists, which the service returns without description. */
const listed = Symbol('listed');

@InputType()
class CreateContactPropertyInput implements CallInputOf<Operations['contact-properties.create']> {
  @Field(() => String, {
    description:
      'A letter followed by up to 63 letters, digits or underscores. Unique within the workspace.',
  })
  name!: string;

  @Field(() => String, { description: '1 to 128 characters.' })
  label!: string;

  @Field(() => ContactPropertyType, { nullable: true })
  type?: 'string';

  @Field(() => String, { nullable: true, description: 'At most 1,024 characters.' })
  description?: string;
}

@InputType({ description: 'Omitted fields are left unchanged.' })
class UpdateContactPropertyInput implements Omit<
  CallInputOf<Operations['contact-properties.update']>,
  'propertyId'
> {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { nullable: true })
  label?: string;

  @Field(() => String, { nullable: true })
  description?: string;
}

@InputType()
class DeleteContactPropertyInput {
  @Field(() => ID)
  id!: string;
}

@ObjectType()
class CreateContactPropertyPayload {
  @Field(() => ContactProperty)
  contactProperty!: ContactProperty;
}

@ObjectType()
class UpdateContactPropertyPayload {
  @Field(() => ContactProperty)
  contactProperty!: ContactProperty;
}

@ObjectType()
class DeleteContactPropertyPayload {
  @Field(() => ID, { description: 'ID of the deleted contact property.' })
  deletedId!: string;
}

@Resolver(() => ContactProperty)
export class ContactPropertyResolver {
  @Query(() => ContactProperty, {
    nullable: true,
    description: 'A contact property by ID; null when it does not exist.',
  })
  async contactProperty(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<ContactProperty | null> {
    return (await operations.find('contact-properties.get', { propertyId: id }))?.property ?? null;
  }

  @Cost({ entriesMax: contactPropertiesMax })
  @Query(() => [ContactProperty], {
    nullable: true,
    description: 'Contact properties of the workspace, oldest first.',
  })
  async contactProperties(
    @Args(() => ListArguments) { first, after }: ListArguments,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<ContactProperty[]> {
    const { properties } = await operations.read('contact-properties.list', {
      ...(first != null && { limit: first }),
      ...(after != null && { after: contactPropertyCursor.of(after) }),
    });
    return properties.map((property) => ({ ...property, [listed]: true }));
  }

  @Cost({ calls: 'field' })
  @FieldResolver(() => String, { nullable: true })
  async description(
    @Root() property: ContactProperty & { [listed]?: true },
    @Ctx() { operations }: GraphqlContext,
  ): Promise<string | undefined> {
    if (!property[listed]) return property.description;
    const found = await operations.find('contact-properties.get', { propertyId: property.id });
    return found?.property.description;
  }

  @Mutation(() => CreateContactPropertyPayload)
  async createContactProperty(
    @Arg('input', () => CreateContactPropertyInput) input: CreateContactPropertyInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateContactPropertyPayload> {
    const { property } = await operations.write('contact-properties.create', input, info);
    return { contactProperty: property };
  }

  @Mutation(() => UpdateContactPropertyPayload)
  async updateContactProperty(
    @Arg('input', () => UpdateContactPropertyInput) { id, ...change }: UpdateContactPropertyInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpdateContactPropertyPayload> {
    const input = { propertyId: id, ...change };
    const { property } = await operations.write('contact-properties.update', input, info);
    return { contactProperty: property };
  }

  @Mutation(() => DeleteContactPropertyPayload)
  async deleteContactProperty(
    @Arg('input', () => DeleteContactPropertyInput) { id }: DeleteContactPropertyInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeleteContactPropertyPayload> {
    await operations.write('contact-properties.delete', { propertyId: id }, info);
    return { deletedId: id };
  }
}
