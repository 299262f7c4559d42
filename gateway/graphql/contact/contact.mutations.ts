import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../context.js';
import {
  CreateContactInput,
  DeleteContactInput,
  ResubscribeContactInput,
  UnsubscribeContactInput,
  UpdateContactInput,
} from './contact.inputs.js';
import { Contact } from './contact.js';

@ObjectType()
class CreateContactPayload {
  @Field(() => Contact)
  contact!: Contact;
}

@ObjectType()
class UpdateContactPayload {
  @Field(() => Contact)
  contact!: Contact;
}

@ObjectType()
class UnsubscribeContactPayload {
  @Field(() => Contact)
  contact!: Contact;
}

@ObjectType()
class ResubscribeContactPayload {
  @Field(() => Contact)
  contact!: Contact;
}

@ObjectType()
class DeleteContactPayload {
  @Field(() => ID, { description: 'The id of the contact that is gone.' })
  deletedId!: string;
}

@Resolver()
export class ContactMutations {
  @Mutation(() => CreateContactPayload)
  createContact(
    @Arg('input', () => CreateContactInput) input: CreateContactInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateContactPayload> {
    return ask.write('contacts.create', input, info);
  }

  @Mutation(() => UpdateContactPayload)
  updateContact(
    @Arg('input', () => UpdateContactInput) { id, ...change }: UpdateContactInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpdateContactPayload> {
    return ask.write('contacts.update', { contactId: id, ...change }, info);
  }

  @Mutation(() => DeleteContactPayload)
  async deleteContact(
    @Arg('input', () => DeleteContactInput) { id }: DeleteContactInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeleteContactPayload> {
    await ask.write('contacts.delete', { contactId: id }, info);
    return { deletedId: id };
  }

  @Mutation(() => UnsubscribeContactPayload, {
    description: 'Doing so twice is no error and no second event.',
  })
  unsubscribeContact(
    @Arg('input', () => UnsubscribeContactInput) { id }: UnsubscribeContactInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UnsubscribeContactPayload> {
    return ask.write('contacts.unsubscribe', { contactId: id }, info);
  }

  @Mutation(() => ResubscribeContactPayload, {
    description: 'Doing so twice is no error and no second event.',
  })
  resubscribeContact(
    @Arg('input', () => ResubscribeContactInput) { id }: ResubscribeContactInput,
    @Ctx() { ask }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ResubscribeContactPayload> {
    return ask.write('contacts.resubscribe', { contactId: id }, info);
  }
}
