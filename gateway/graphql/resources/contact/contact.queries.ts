import { contactCursor } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver } from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { connectionOf } from '../node/connection.js';
import { PageArguments, readPage } from '../node/page-arguments.js';
import { selectedNames } from '../node/selected-names.js';
import { ContactConnection } from './contact-connection.js';
import { Contact } from './contact.js';

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

  @Query(() => ContactConnection, {
    nullable: true,
    description: 'Contacts of the workspace, oldest first.',
  })
  async contacts(
    @Args(() => PageArguments) page: PageArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ContactConnection> {
    const pageRequest = readPage(page, requestId);
    const selected = selectedNames(info);
    const counted = selected.delete('totalCount');
    selected.delete('__typename');
    // No contact is read if only the count is selected.
    const limit = counted && selected.size === 0 ? 0 : pageRequest.limit;
    const { contacts, total, ...around } = await operations.read('contacts.page', {
      ...pageRequest,
      limit,
      counted,
    });
    const cursorOf = ({ id }: Contact) => contactCursor.of(id);
    return { ...connectionOf(contacts, cursorOf, around), totalCount: total };
  }
}
