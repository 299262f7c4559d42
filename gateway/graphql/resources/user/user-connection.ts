import { Field, ObjectType } from 'type-graphql';
import { PageInfo } from '../node/page-info.js';
import { User } from './user.js';

@ObjectType({ description: 'An edge of a user connection.' })
export class UserEdge {
  @Field(() => String, { description: 'Cursor for `after`.' })
  cursor!: string;

  @Field(() => User)
  node!: User;
}

@ObjectType({ description: 'Users of the workspace, oldest first.' })
export class UserConnection {
  @Field(() => [UserEdge])
  edges!: UserEdge[];

  @Field(() => [User], { description: 'Nodes of the edges.' })
  nodes!: User[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}
