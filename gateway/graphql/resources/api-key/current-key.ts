import {
  scopes,
  tokenOperationsMax,
  type Operations,
  type OutputOf,
  type Scope,
} from '@roster/contracts';
import { Field, ID, ObjectType } from 'type-graphql';
import { Cost } from '../../document/field-cost.js';
import { DateTime } from '../../scalars.js';
import { ScopeEnum } from './api-key.js';

type CurrentKeyShape = OutputOf<Operations['key.get']>['key'];

@ObjectType()
abstract class Named {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;
}

@ObjectType()
class KeyWorkspace extends Named {}

@ObjectType()
class KeyUser extends Named {}

@ObjectType({ description: 'What a browser token allows of what its API key does.' })
class KeyToken {
  @Field(() => Boolean, { description: 'Whether the token can only read.' })
  readOnly!: boolean;

  @Cost({ entriesMax: tokenOperationsMax })
  @Field(() => [String], {
    nullable: true,
    description: 'Names of the only operations that the token can call. Null for all.',
  })
  operations!: string[] | null;
}

@ObjectType({ description: 'The API key of the request, without its secret.' })
export class CurrentKey implements CurrentKeyShape {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Cost({ entriesMax: scopes.length })
  @Field(() => [ScopeEnum], { description: 'Those of the browser token, if it has fewer.' })
  scopes!: Scope[];

  @Field(() => KeyWorkspace)
  workspace!: KeyWorkspace;

  @Field(() => KeyUser, { description: 'The user that the API key belongs to.' })
  user!: KeyUser;

  @Field(() => DateTime)
  createdAt!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Of the API key, also for a browser token. Null without an expiry.',
  })
  expiresAt!: string | null;

  @Field(() => KeyToken, { nullable: true, description: 'Null for an API key.' })
  token!: KeyToken | null;
}
