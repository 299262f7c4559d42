import { scopes, type Operations, type OutputOf, type Scope } from '@roster/contracts';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { Cost } from '../../document/field-cost.js';
import { Node } from '../node/node.js';
import { DateTime } from '../../scalars.js';

export type ApiKeyShape = OutputOf<Operations['api-keys.get']>['apiKey'];

export const ScopeEnum = { API_USER: 'api_user', USER: 'user' } as const satisfies Record<
  Uppercase<Scope>,
  (typeof scopes)[number]
>;
registerEnumType(ScopeEnum, {
  name: 'Scope',
  description: 'What an API key may do. Neither scope implies the other.',
});

@ObjectType({ implements: Node, description: 'Authenticates requests as a user.' })
export class ApiKey extends Node implements ApiKeyShape {
  @Field(() => String, {
    nullable: true,
    description: 'First characters of the secret. Null if they were not recorded.',
  })
  prefix!: string | null;

  @Field(() => String)
  name!: string;

  @Cost({ entriesMax: scopes.length })
  @Field(() => [ScopeEnum])
  scopes!: Scope[];

  @Field(() => ID)
  userId!: string;

  @Field(() => DateTime)
  createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'Null if the API key does not expire.' })
  expiresAt!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Recorded about once a minute. Null before the first use.',
  })
  lastUsedAt!: string | null;

  @Field(() => String, { nullable: true, description: 'Address of that use.' })
  lastUsedIp!: string | null;
}
