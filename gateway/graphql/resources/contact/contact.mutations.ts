import { batchOperationsMax } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { JSONObject } from '../../scalars.js';
import {
  BatchContactsInput,
  CreateContactInput,
  DeleteContactInput,
  ResubscribeContactInput,
  UnsubscribeContactInput,
  UpdateContactInput,
  UpsertContactInput,
} from './contact.inputs.js';
import { Contact } from './contact.js';

@ObjectType()
class CreateContactPayload {
  @Field(() => Contact)
  contact!: Contact;
}

@ObjectType()
class UpsertContactPayload {
  @Field(() => Boolean, { description: 'Whether the contact was created, not updated.' })
  created!: boolean;

  @Field(() => Contact)
  contact!: Contact;
}

@ObjectType()
class UpdateContactPayload {
  @Field(() => Contact)
  contact!: Contact;
}

@ObjectType()
class BatchContactsPayload {
  @Cost({ entriesMax: batchOperationsMax })
  @Field(() => [JSONObject], {
    description:
      'The result of each operation, in their order, as in REST: its `status`, and `id` or `problem`.',
  })
  results!: object[];
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
  @Field(() => ID, { description: 'ID of the deleted contact.' })
  deletedId!: string;
}

@Resolver()
export class ContactMutations {
  @Mutation(() => CreateContactPayload)
  createContact(
    @Arg('input', () => CreateContactInput) input: CreateContactInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateContactPayload> {
    return operations.write('contacts.create', input, info);
  }

  @Mutation(() => UpsertContactPayload, {
    description: 'Creates or updates the contact with the email address. Requires both scopes.',
  })
  upsertContact(
    @Arg('input', () => UpsertContactInput) input: UpsertContactInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpsertContactPayload> {
    return operations.write('contacts.upsert', input, info);
  }

  @Mutation(() => UpdateContactPayload)
  updateContact(
    @Arg('input', () => UpdateContactInput) { id, ...change }: UpdateContactInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpdateContactPayload> {
    return operations.write('contacts.update', { contactId: id, ...change }, info);
  }

  @Mutation(() => BatchContactsPayload, {
    description:
      'Creates, updates and deletes several contacts, as many as the limits of variables allow. Requires both scopes. Counts in rate limits as a request for every 10 operations.',
  })
  batchContacts(
    @Arg('input', () => BatchContactsInput) input: BatchContactsInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<BatchContactsPayload> {
    return operations.write('contacts.batch', input, info);
  }

  @Mutation(() => DeleteContactPayload)
  async deleteContact(
    @Arg('input', () => DeleteContactInput) { id }: DeleteContactInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeleteContactPayload> {
    await operations.write('contacts.delete', { contactId: id }, info);
    return { deletedId: id };
  }

  @Mutation(() => UnsubscribeContactPayload, {
    description: 'Idempotent; emits at most one event.',
  })
  unsubscribeContact(
    @Arg('input', () => UnsubscribeContactInput) { id }: UnsubscribeContactInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UnsubscribeContactPayload> {
    return operations.write('contacts.unsubscribe', { contactId: id }, info);
  }

  @Mutation(() => ResubscribeContactPayload, {
    description: 'Idempotent; emits at most one event.',
  })
  resubscribeContact(
    @Arg('input', () => ResubscribeContactInput) { id }: ResubscribeContactInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ResubscribeContactPayload> {
    return operations.write('contacts.resubscribe', { contactId: id }, info);
  }
}
