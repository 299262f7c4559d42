import type { AuditActorType, Operations, OutputOf } from '@roster/contracts';
import { ArgsType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime, JSONObject } from '../../scalars.js';
import { ForwardArguments } from '../node/forward-arguments.js';
import { PageInfo } from '../node/page-info.js';

type AuditEntryShape = OutputOf<Operations['audit-log.list']>['entries'][number];

const AuditActorTypeEnum = {
  USER: 'user',
  OPERATOR: 'operator',
  SYSTEM: 'system',
} as const satisfies Record<Uppercase<AuditActorType>, AuditActorType>;
registerEnumType(AuditActorTypeEnum, {
  name: 'AuditActorType',
  description: 'What made a change.',
  valuesConfig: {
    SYSTEM: {
      description: 'No request made the change: for example, a webhook that fails was disabled.',
    },
  },
});

@ArgsType()
export class AuditLogArguments extends ForwardArguments {
  @Field(() => String, { nullable: true, description: 'Only entries with this action.' })
  action?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only entries of this user.' })
  actor?: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Only entries at or after this time.' })
  since?: string | null;
}

@ObjectType({ description: 'A change, or the reading of a secret.' })
export class AuditEntry implements AuditEntryShape {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { description: 'What was done, such as `webhook.token_read`.' })
  action!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The user who did it. Null for an operator and for the system.',
  })
  actor!: string | null;

  @Field(() => AuditActorTypeEnum, { description: 'What made the change.' })
  actorType!: AuditActorType;

  @Field(() => ID, { nullable: true, description: 'The API key of the request.' })
  keyId!: string | null;

  @Field(() => String, { nullable: true, description: 'Address of the client, if known.' })
  address!: string | null;

  @Field(() => String)
  requestId!: string;

  @Field(() => ID, { description: 'ID of the resource that it concerns.' })
  resourceId!: string;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'The state before the change, without secrets.',
  })
  before!: Record<string, unknown> | null;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'The state after the change, without secrets.',
  })
  after!: Record<string, unknown> | null;

  @Field(() => DateTime)
  createdAt!: string;
}

@ObjectType({ description: 'An edge of an audit log connection.' })
export class AuditEntryEdge {
  @Field(() => String, { description: 'Cursor for `after`.' })
  cursor!: string;

  @Field(() => AuditEntry)
  node!: AuditEntry;
}

@ObjectType({ description: 'Entries of the audit log, newest first.' })
export class AuditLogConnection {
  @Field(() => [AuditEntryEdge])
  edges!: AuditEntryEdge[];

  @Field(() => [AuditEntry], { description: 'Nodes of the edges.' })
  nodes!: AuditEntry[];

  @Field(() => PageInfo)
  pageInfo!: PageInfo;
}
