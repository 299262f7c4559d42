import { Field, ObjectType } from 'type-graphql';
import { PageInfo } from '../node/page-info.js';
import { Import } from './import.js';

@ObjectType({ description: 'An edge of an import connection.' })
export class ImportEdge {
  @Field(() => String, { description: 'Cursor for `after`.' })
  cursor!: string;

  @Field(() => Import)
  node!: Import;
}

@ObjectType({ description: 'Imports, newest first.' })
export class ImportConnection {
  @Field(() => [ImportEdge])
  edges!: ImportEdge[];

  @Field(() => [Import], { description: 'Nodes of the edges.' })
  nodes!: Import[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}
