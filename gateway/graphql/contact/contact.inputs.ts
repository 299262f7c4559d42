import type { CallInputOf, Operations } from '@roster/contracts';
import { Field, ID, InputType } from 'type-graphql';
import { EmailAddress, JSONObject } from '../scalars.js';

@InputType()
export class CreateContactInput implements CallInputOf<Operations['contacts.create']> {
  @Field(() => EmailAddress, {
    description: 'Kept as sent; unique in the workspace ignoring case.',
  })
  email!: string;

  @Field(() => String, { nullable: true, description: 'At most 256 characters.' })
  name?: string;

  @Field(() => [String], {
    nullable: true,
    description: 'At most 100, each 1 to 64 characters. Duplicates are dropped.',
  })
  tags?: string[];

  @Field(() => JSONObject, {
    nullable: true,
    description:
      'At most 100 strings of at most 4,096 characters. A name that has no definition gets one.',
  })
  properties?: Record<string, string>;
}

@InputType({ description: 'What is left out stays as it is.' })
export class UpdateContactInput implements Omit<
  CallInputOf<Operations['contacts.update']>,
  'contactId'
> {
  @Field(() => ID)
  id!: string;

  @Field(() => EmailAddress, { nullable: true })
  email?: string;

  @Field(() => String, { nullable: true })
  name?: string;

  @Field(() => [String], { nullable: true, description: 'Replaces the tags.' })
  tags?: string[];

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Merged into the properties; null removes one.',
  })
  properties?: Record<string, string | null>;
}

@InputType()
export class DeleteContactInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
export class UnsubscribeContactInput {
  @Field(() => ID)
  id!: string;
}

@InputType()
export class ResubscribeContactInput {
  @Field(() => ID)
  id!: string;
}
