import {
  contactPosition,
  contactSorts,
  Fault,
  invalidFields,
  operations,
  type ContactSort as Sort,
} from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Args,
  ArgsType,
  Ctx,
  Field,
  Info,
  InputType,
  Int,
  Query,
  registerEnumType,
  Resolver,
} from 'type-graphql';
import { z } from 'zod';
import { contactFilterOf } from '../contract/contact-filter.js';
import { connectionOf, ConnectionOf, type Connection } from '../contract/connection.js';
import { nameObject } from '../contract/field-types.js';
import { InputFieldsOf } from '../contract/fields-of.js';
import { PageArguments, readPage } from '../contract/page-arguments.js';
import { selectedNames } from '../contract/selected-names.js';
import type { GraphqlContext } from '../context.js';
import { errorOf } from '../errors.js';
import { Cost } from '../document/field-cost.js';
import { Contact, type ContactShape } from './contact.js';

const [createdAt, createdAtDesc, email, emailDesc, name, nameDesc, updatedAt, updatedAtDesc] =
  contactSorts;
const ContactSort = {
  CREATED_AT: createdAt,
  CREATED_AT_DESC: createdAtDesc,
  EMAIL: email,
  EMAIL_DESC: emailDesc,
  NAME: name,
  NAME_DESC: nameDesc,
  UPDATED_AT: updatedAt,
  UPDATED_AT_DESC: updatedAtDesc,
};
registerEnumType(ContactSort, {
  name: 'ContactSort',
  description: 'Order of a list of contacts. Cursors are valid for one order.',
  valuesConfig: {
    CREATED_AT: { description: 'Oldest first.' },
    CREATED_AT_DESC: { description: 'Newest first.' },
    EMAIL: { description: 'By email address, ignoring case.' },
    EMAIL_DESC: { description: 'By email address, last first.' },
    NAME: { description: 'By the code points of the name, with A to Z as a to z.' },
    NAME_DESC: { description: 'By name, last first.' },
    UPDATED_AT: { description: 'Least recently changed first.' },
    UPDATED_AT_DESC: { description: 'Most recently changed first.' },
  },
});

@InputType({
  description: 'Contacts that match all given fields. Fields that are null do not restrict them.',
})
@InputFieldsOf(
  // All its fields but one select contacts. A condition on a status is no value of its enumeration.
  operations['contacts.export'].input.omit({ format: true }).extend({
    status: operations['contacts.create'].input.shape.status,
    statusNot: operations['contacts.create'].input.shape.status,
  }),
  {
    email: 'Contacts with this address, ignoring case.',
    tag: 'Contacts that match all of these conditions, at most 20: `vip`, `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`, `missing`, `is:exists` for a tag of that name.',
    status: '',
    statusNot: 'Contacts with another status: `status=not:…` of REST. Not together with `status`.',
    property:
      'Contacts whose properties have exactly these values, or match these conditions: `{city: "Paris", plan: "any:gold,silver", since: ["gte:2026-01-01", "lt:2026-02-01"]}`, also `none:`, `not:`, `exists`, `missing`, `is:`, `gt:`, `lt:` and `lte:`. At most 20 properties.',
  },
)
class ContactFilter {}
nameObject(ContactFilter);

const { change } = operations['contact-actions.create'].input.shape;

@InputType({ description: 'A change of each contact that an action selects.' })
@InputFieldsOf(
  z.object({
    ...change.shape,
    // All statuses, and all booleans: the contract refuses the others.
    status: operations['contacts.create'].input.shape.status,
    delete: z.boolean().optional(),
  }),
  {
    addTags: 'Added after the other tags of a contact.',
    removeTags: 'Removed from the tags of a contact.',
    status: 'UNSUBSCRIBED unsubscribes the contacts.',
    properties: 'Merged into the existing properties. A null value removes the property.',
    delete: 'true deletes the contacts. Without any other field.',
  },
)
class ContactChange {}
nameObject(ContactChange);

@InputType({
  description:
    'Order of contacts by the values of a property: numbers by size, false before true, dates by day, and texts by the code points of the first 100 characters, with A to Z as a to z. Contacts without a value of the type of the property are the last ones in both directions. At most 100,000 contacts are read for it.',
})
class ContactPropertySort {
  @Field(() => String, { description: 'Name of the property.' })
  name!: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether the last value is the first.' })
  descending?: boolean | null;
}

@ArgsType()
class ContactArguments extends PageArguments {
  @Field(() => ContactFilter, { nullable: true, description: 'Only contacts that match.' })
  filter?: object | null;

  @Field(() => ContactSort, { nullable: true, description: 'CREATED_AT by default.' })
  sort?: Sort | null;

  @Field(() => ContactPropertySort, {
    nullable: true,
    description: 'The order of the values of a property. Not together with `sort`.',
  })
  sortProperty?: ContactPropertySort | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Number of contacts to skip, from the end that the page is read from. At most 10,000 with a filter or another order.',
  })
  offset?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether `totalCount` is exact whatever it is. The field then fails with UNAVAILABLE if counting takes more than three seconds.',
  })
  exactCount?: boolean | null;
}

@ConnectionOf(() => Contact, {
  edge: 'ContactEdge',
  of: 'a contact',
  description: 'Contacts, in the order that was requested.',
  cursor: 'Cursor for `after` and `before`.',
})
class ContactConnection {
  @Field(() => Int, {
    nullable: true,
    description:
      'Number of contacts in the workspace, or of those that match the filter. Exact unless `totalIsEstimate` is true. Computed only when selected.',
  })
  totalCount!: number | null;

  @Field(() => Boolean, {
    description:
      'Whether more contacts match the filter than are counted exactly: more than 10,000.',
  })
  totalIsEstimate!: boolean;
}

type ContactPage = Connection<ContactShape> & ContactConnection;

@Resolver()
export class ContactsResolver {
  @Cost({ searchedBy: ['filter', 'offset', 'sortProperty'] })
  @Query(() => ContactConnection, {
    nullable: true,
    description: 'Contacts of the workspace, oldest first by default.',
  })
  async contacts(
    @Args(() => ContactArguments) page: ContactArguments,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ContactPage> {
    const selected = selectedNames(info);
    const filter = contactFilterOf({ ...page.filter }, '', context.requestId);
    const sort = sortOf(page, context.requestId);
    return Object.keys(filter).length === 0 && sort === createdAt
      ? readContacts(page, selected, context)
      : findContacts({ ...filter, sort }, page, selected, context);
  }
}

function sortOf({ sort, sortProperty }: ContactArguments, requestId: string): Sort {
  if (!sortProperty) return sort ?? createdAt;
  if (sort) {
    const message = 'must not be sent together with `sort`';
    throw errorOf(invalidFields([{ pointer: '/sortProperty', message }]), requestId);
  }
  return `${sortProperty.descending ? '-' : ''}property:${sortProperty.name}`;
}

/** Fields of the connection that no contact is read for. */
const withoutContacts = new Set(['totalCount', 'totalIsEstimate', '__typename']);

/**
 * All contacts in the order of their creation.
 *
 * @param selected names of the fields of the connection
 */
async function readContacts(
  page: ContactArguments,
  selected: ReadonlySet<string>,
  { operations: calls, requestId }: GraphqlContext,
): Promise<ContactPage> {
  const pageRequest = readPage(page, requestId);
  const counted = selected.has('totalCount');
  const isShown = [...selected].some((name) => !withoutContacts.has(name));
  const { contacts, total, offset, ...around } = await calls.read('contacts.page', {
    ...pageRequest,
    ...offsetIn(page),
    // No contact is read if only the count is selected.
    limit: isShown || !counted ? pageRequest.limit : 0,
    counted,
  });
  if (offset !== offsetIn(page).offset) throw errorOf(formerRelease, requestId);
  return { ...connectionOf(contacts, around), totalCount: total, totalIsEstimate: false };
}

/** Contacts that match, or in another order. */
async function findContacts(
  search: { sort: Sort },
  page: ContactArguments,
  selected: ReadonlySet<string>,
  { operations: calls, requestId }: GraphqlContext,
): Promise<ContactPage> {
  const { limit, fromEnd, after, before } = readPage(page, requestId);
  const { contacts, pagination } = await calls.read('contacts.find', {
    ...search,
    limit,
    ...offsetIn(page),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(fromEnd && { fromEnd }),
    ...(selected.has('pageInfo') && { around: true }),
    counted: selected.has('totalCount') || selected.has('totalIsEstimate'),
    ...(page.exactCount && { count: 'exact' as const }),
  });
  const { next, total, totalIsEstimate = false, hasNext, hasPrevious } = pagination;
  // Until 0.4.0: 0.2.0 does not know `around`, and reads in one direction only.
  if (hasNext === undefined && (fromEnd || before !== undefined))
    throw errorOf(formerRelease, requestId);
  const connection = connectionOf(
    contacts,
    { hasNext: hasNext ?? next !== null, hasPrevious: hasPrevious ?? after !== undefined },
    (contact) => contactPosition.of(search.sort, contact),
    fromEnd ? { start: next } : { end: next },
  );
  return { ...connection, totalCount: total, totalIsEstimate };
}

const offsetIn = ({ offset }: ContactArguments): { offset?: number } =>
  offset == null ? {} : { offset };

/** Until 0.4.0: contacts are read by a process of 0.2.0, which ignores what it does not know. */
const formerRelease = new Fault(
  'unavailable',
  'Pages of this kind are available when the upgrade of the installation is complete.',
);
