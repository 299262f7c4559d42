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
