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

@ObjectType({ description: 'Contacts in order of creation, oldest first.' })
export class ContactConnection {
  @Field(() => [ContactEdge])
  edges!: ContactEdge[];

  @Field(() => [Contact], { description: 'Nodes of the edges.' })
  nodes!: Contact[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;

  @Field(() => Int, {
    nullable: true,
    description: 'Exact number of contacts in the workspace. Computed only when selected.',
  })
  totalCount!: number | null;
}
