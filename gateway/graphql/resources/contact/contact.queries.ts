import { contactCursor } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { connectionOf } from '../node/connection.js';
import { readPage } from '../node/page-arguments.js';
import { selectedNames } from '../node/selected-names.js';
import { ContactArguments } from './contact-arguments.js';
import { ContactConnection } from './contact-connection.js';
import { Contact } from './contact.js';
import { findContacts, searchOf } from './find-contacts.js';

@Resolver()
export class ContactQueries {
  @Query(() => Contact, {
    nullable: true,
    description: 'A contact by ID; null when it does not exist.',
  })
  async contact(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<Contact | null> {
    return (await operations.find('contacts.get', { contactId: id }))?.contact ?? null;
  }

  @Cost({ searchedBy: 'filter' })
  @Query(() => ContactConnection, {
    nullable: true,
    description:
      'Contacts of the workspace, oldest first by default. `last` and `before` are not supported with a filter or another order.',
  })
  async contacts(
    @Args(() => ContactArguments) page: ContactArguments,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ContactConnection> {
    const { operations, requestId } = context;
    const selected = selectedNames(info);
    const search = searchOf(page);
    if (search) return findContacts(search, page, selected, context);
    const pageRequest = readPage(page, requestId);
    const counted = selected.has('totalCount');
    const isShown = [...selected].some((name) => !withoutContacts.has(name));
    const { contacts, total, ...around } = await operations.read('contacts.page', {
      ...pageRequest,
      // No contact is read if only the count is selected.
      limit: isShown || !counted ? pageRequest.limit : 0,
      counted,
    });
    const cursorOf = ({ id }: Contact) => contactCursor.of(id);
    return {
      ...connectionOf(contacts, cursorOf, around),
      totalCount: total,
      totalIsEstimate: false,
    };
  }
}

/** Fields of the connection that no contact is read for. */
const withoutContacts = new Set(['totalCount', 'totalIsEstimate', '__typename']);
