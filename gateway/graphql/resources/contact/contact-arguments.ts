import type { CallInputOf, ContactSort as Sort, Operations } from '@roster/contracts';
import { ArgsType, Field, InputType, registerEnumType } from 'type-graphql';
import { DateTime, EmailAddress, JSONObject } from '../../scalars.js';
import { PageArguments } from '../node/page-arguments.js';
import { ContactStatus, type ContactShape } from './contact.js';

/** Names of orders in GraphQL and in the contracts. */
export const ContactSort = {
  CREATED_AT: 'createdAt',
  CREATED_AT_DESC: '-createdAt',
  EMAIL: 'email',
} as const satisfies Record<string, Sort>;
registerEnumType(ContactSort, {
  name: 'ContactSort',
  description: 'Order of a list of contacts. Cursors are valid for one order.',
  valuesConfig: {
    CREATED_AT: { description: 'Oldest first.' },
    CREATED_AT_DESC: { description: 'Newest first.' },
    EMAIL: { description: 'By email address, ignoring case.' },
  },
});

type FindInput = CallInputOf<Operations['contacts.find']>;
type FilterField = Exclude<keyof FindInput, 'limit' | 'offset' | 'after' | 'counted' | 'sort'>;

@InputType({
  description: 'Contacts that match all given fields. Fields that are null do not restrict them.',
})
export class ContactFilter implements Partial<{
  [Name in FilterField]: FindInput[Name] | null;
}> {
  @Field(() => EmailAddress, {
    nullable: true,
    description: 'Contacts with this address, ignoring case.',
  })
  email?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Contacts with all of these tags, at most 20.',
  })
  tag?: string[] | null;

  @Field(() => ContactStatus, { nullable: true })
  status?: ContactShape['status'] | null;

  @Field(() => JSONObject, {
    nullable: true,
    description:
      'Contacts whose properties have exactly these values: `{city: "Paris"}`. At most 20 properties.',
  })
  property?: Record<string, string> | null;

  @Field(() => DateTime, { nullable: true, description: 'Contacts created after this time.' })
  createdAfter?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Contacts created before this time.' })
  createdBefore?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Contacts whose email address begins with this text, or whose name has consecutive words that begin with its words. Case is ignored.',
  })
  q?: string | null;
}

@ArgsType()
export class ContactArguments extends PageArguments {
  @Field(() => ContactFilter, { nullable: true, description: 'Only contacts that match.' })
  filter?: ContactFilter | null;

  @Field(() => ContactSort, { nullable: true, description: 'CREATED_AT by default.' })
  sort?: Sort | null;
}
