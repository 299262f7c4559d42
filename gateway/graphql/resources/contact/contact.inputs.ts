import type { CallInputOf, Operations } from '@roster/contracts';
import { Field, ID, InputType } from 'type-graphql';
import { DateTime, EmailAddress, JSONObject } from '../../scalars.js';
import { ContactStatus, type ContactShape } from './contact.js';

@InputType()
export class CreateContactInput implements CallInputOf<Operations['contacts.create']> {
  @Field(() => EmailAddress, {
    description: 'Stored as given. Unique within the workspace, ignoring case.',
  })
  email!: string;

  @Field(() => String, { nullable: true, description: 'At most 256 characters.' })
  name?: string;

  @Field(() => [String], {
    nullable: true,
    description: 'At most 100 tags of 1 to 64 characters. Duplicates are removed.',
  })
  tags?: string[];

  @Field(() => JSONObject, {
    nullable: true,
    description:
      'At most 100 string values of at most 4,096 characters, 65,536 bytes of JSON together. Undefined properties are created.',
  })
  properties?: Record<string, string>;

  @Field(() => ContactStatus, { nullable: true, description: 'SUBSCRIBED by default.' })
  status?: ContactShape['status'];
}

/** Fields that an update changes, if they are given. */
@InputType()
abstract class ContactChanges {
  @Field(() => String, { nullable: true })
  name?: string;

  @Field(() => [String], { nullable: true, description: 'Replaces all tags.' })
  tags?: string[];

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Merged into the existing properties. A null value removes the property.',
  })
  properties?: Record<string, string | null>;
}

@InputType({
  description:
    'Omitted fields of an existing contact are left unchanged. A new contact has their default values.',
})
export class UpsertContactInput
  extends ContactChanges
  implements CallInputOf<Operations['contacts.upsert']>
{
  @Field(() => EmailAddress, {
    description: 'Address of the contact, ignoring case. An existing contact keeps its own.',
  })
  email!: string;

  @Field(() => ContactStatus, {
    nullable: true,
    description: 'Status of a new contact. Must be the stored value of an existing one.',
  })
  status?: ContactShape['status'];

  @Field(() => ID, {
    nullable: true,
    description: 'Must be the stored value of an existing contact.',
  })
  id?: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Must be the stored value of an existing contact.',
  })
  createdAt?: string;
}

@InputType({ description: 'Omitted fields are left unchanged.' })
export class UpdateContactInput
  extends ContactChanges
  implements Omit<CallInputOf<Operations['contacts.update']>, 'contactId' | 'id'>
{
  @Field(() => ID)
  id!: string;

  @Field(() => EmailAddress, { nullable: true })
  email?: string;

  @Field(() => ContactStatus, {
    nullable: true,
    description:
      'Must be the stored value. `unsubscribeContact` and `resubscribeContact` change it.',
  })
  status?: ContactShape['status'];

  @Field(() => DateTime, { nullable: true, description: 'Must be the stored value.' })
  createdAt?: string;
}

@InputType()
export class BatchContactsInput implements CallInputOf<Operations['contacts.batch']> {
  @Field(() => [JSONObject], {
    description:
      'At most 1,000 operations, as in REST: `{action: "create", email: …}`, `{action: "upsert", email: …}`, `{action: "update", id: …}` or `{action: "delete", id: …}`, each with the fields of such a request. Applied as if one after another.',
  })
  operations!: CallInputOf<Operations['contacts.batch']>['operations'];

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether one refused operation refuses the batch. False by default.',
  })
  atomic?: boolean;
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
