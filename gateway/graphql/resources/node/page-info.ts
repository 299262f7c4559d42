import { Field, ObjectType } from 'type-graphql';

@ObjectType({
  description: 'Pagination information. See https://relay.dev/graphql/connections.htm',
})
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean)
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}
