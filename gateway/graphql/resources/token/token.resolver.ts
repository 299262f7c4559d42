import {
  scopes as allScopes,
  tokenOperationsMax,
  type CallInputOf,
  type Operations,
  type OutputOf,
  type Scope,
} from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  Info,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Resolver,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { Cost } from '../../document/field-cost.js';
import { DateTime } from '../../scalars.js';
import { ScopeEnum } from '../api-key/api-key.js';

@InputType()
class CreateTokenInput implements CallInputOf<Operations['tokens.create']> {
  @Field(() => [ScopeEnum], {
    nullable: true,
    description: 'Scopes of the API key that the token has. Defaults to all of them.',
  })
  scopes?: Scope[];

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the token can only read. Defaults to false.',
  })
  readOnly?: boolean;

  @Field(() => [String], {
    nullable: true,
    description:
      'The only operations that the token can call, by their names in REST, such as `contacts.list`; `events` allows subscriptions. At most 20. Defaults to all, except those that return a secret, users or the audit log.',
  })
  operations?: string[];

  @Field(() => Int, { nullable: true, description: '60 to 3,600. Defaults to 900.' })
  expiresInSeconds?: number;
}

@ObjectType({
  description: 'Authenticates requests of a browser for a short time, within the limits of a key.',
})
class Token implements TokenShape {
  @Field(() => String, { description: 'Sent like an API key. It is not stored.' })
  secret!: string;

  @Field(() => DateTime)
  expiresAt!: string;

  @Cost({ entriesMax: allScopes.length })
  @Field(() => [ScopeEnum])
  scopes!: Scope[];

  @Field(() => Boolean)
  readOnly!: boolean;

  @Cost({ entriesMax: tokenOperationsMax })
  @Field(() => [String], {
    nullable: true,
    description: 'Null if the token is not limited to some.',
  })
  operations!: string[] | null;
}

type TokenShape = OutputOf<Operations['tokens.create']>['token'];

@ObjectType()
class CreateTokenPayload {
  @Field(() => Token)
  token!: Token;
}

@Resolver()
export class TokenResolver {
  @Mutation(() => CreateTokenPayload, {
    description: 'Requires an API key: browser tokens cannot create tokens.',
  })
  createToken(
    @Arg('input', () => CreateTokenInput) input: CreateTokenInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateTokenPayload> {
    return operations.write('tokens.create', input, info);
  }
}
