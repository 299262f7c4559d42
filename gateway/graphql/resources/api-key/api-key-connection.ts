import { Field, ObjectType } from 'type-graphql';
import { PageInfo } from '../node/page-info.js';
import { ApiKey } from './api-key.js';

@ObjectType({ description: 'An edge of an API key connection.' })
export class ApiKeyEdge {
  @Field(() => String, { description: 'Cursor for `after`.' })
  cursor!: string;

  @Field(() => ApiKey)
  node!: ApiKey;
}

@ObjectType({ description: 'API keys that are not revoked, oldest first.' })
export class ApiKeyConnection {
  @Field(() => [ApiKeyEdge])
  edges!: ApiKeyEdge[];

  @Field(() => [ApiKey], { description: 'Nodes of the edges.' })
  nodes!: ApiKey[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}
