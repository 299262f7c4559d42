import { Field, Int, ObjectType } from 'type-graphql';
import { PageInfo } from '../node/page-info.js';
import { Contact } from './contact.js';

@ObjectType({ description: 'An edge of a contact connection.' })
export class ContactEdge {
  @Field(() => String, { description: 'Cursor for `after` and `before`.' })
  cursor!: string;

  @Field(() => Contact)
  node!: Contact;
}

@ObjectType({ description: 'Contacts, in the order that was requested.' })
export class ContactConnection {
  @Field(() => [ContactEdge])
  edges!: ContactEdge[];

  @Field(() => [Contact], { description: 'Nodes of the edges.' })
  nodes!: Contact[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

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
