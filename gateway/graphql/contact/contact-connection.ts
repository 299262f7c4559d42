import { contactCursor } from '@roster/contracts';
import { Field, Int, ObjectType } from 'type-graphql';
import { PageInfo } from '../node/page-info.js';
import { Contact } from './contact.js';

@ObjectType({ description: 'A contact in a connection.' })
export class ContactEdge {
  @Field(() => String, { description: 'For `after` and `before`.' })
  cursor!: string;

  @Field(() => Contact)
  node!: Contact;
}

@ObjectType({ description: 'Contacts in the order of their creation, oldest first.' })
export class ContactConnection {
  @Field(() => [ContactEdge])
  edges!: ContactEdge[];

  @Field(() => [Contact], { description: 'The nodes of the edges.' })
  nodes!: Contact[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

  @Field(() => Int, {
    nullable: true,
    description: 'All contacts of the workspace, exactly. Counted only when selected.',
  })
  totalCount!: number | null;
}

export function connectionOf(page: {
  contacts: Contact[];
  hasNext: boolean;
  hasPrevious: boolean;
  total: number | null;
}): ContactConnection {
  const { contacts, hasNext, hasPrevious, total } = page;
  const edges = contacts.map((node) => ({ cursor: contactCursor.of(node.id), node }));
  return {
    edges,
    nodes: contacts,
    pageInfo: {
      hasNextPage: hasNext,
      hasPreviousPage: hasPrevious,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: total,
  };
}
