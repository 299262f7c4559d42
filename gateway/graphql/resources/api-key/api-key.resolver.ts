import { apiKeyCursor, scopes, type CallInputOf, type Operations } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { DateTime } from '../../scalars.js';
import { connectionOf } from '../node/connection.js';
import { ForwardArguments, readForwardPage } from '../node/forward-arguments.js';
import { CurrentKey } from './current-key.js';
import { ApiKeyConnection } from './api-key-connection.js';
import { ApiKey, ScopeEnum } from './api-key.js';

@InputType()
class CreateApiKeyInput implements CallInputOf<Operations['api-keys.create']> {
  @Field(() => String, { description: '1 to 128 characters.' })
  name!: string;

  @Field(() => [ScopeEnum], {
    description: 'At most those of the API key that the request is sent with.',
  })
  scopes!: (typeof scopes)[number][];

  @Field(() => DateTime, {
    nullable: true,
    description:
      'In the future, and not later than the expiry of the API key that the request is sent with, which is the default.',
  })
  expiresAt?: string;

  @Field(() => ID, {
    nullable: true,
    description: 'A user of the workspace. Defaults to the authenticated user.',
  })
  userId?: string;
}

@InputType()
class RotateApiKeyInput implements Omit<CallInputOf<Operations['api-keys.rotate']>, 'keyId'> {
  @Field(() => ID)
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'How long the previous secret remains valid. At most 604,800; defaults to 86,400.',
  })
  overlapSeconds?: number;
}

@InputType()
class DeleteApiKeyInput {
  @Field(() => ID)
  id!: string;
}

@ObjectType()
class CreateApiKeyPayload {
  @Field(() => ApiKey)
  apiKey!: ApiKey;

  @Field(() => String, { description: 'Returned only once; only its hash is stored.' })
  secret!: string;
}

@ObjectType()
class RotateApiKeyPayload {
  @Field(() => ApiKey)
  apiKey!: ApiKey;

  @Field(() => String, { description: 'Returned only once; only its hash is stored.' })
  secret!: string;
}

@ObjectType()
class DeleteApiKeyPayload {
  @Field(() => ID, { description: 'ID of the revoked API key.' })
  deletedId!: string;
}

@Resolver()
export class ApiKeyResolver {
  @Query(() => CurrentKey, {
    nullable: true,
    description:
      'The API key that the request is sent with, also of a browser token. Requires no scope.',
  })
  async key(@Ctx() { operations }: GraphqlContext): Promise<CurrentKey> {
    return (await operations.readOnce('key.get')).key;
  }

  @Query(() => ApiKey, {
    nullable: true,
    description: 'An API key by ID; null when it does not exist or is revoked.',
  })
  async apiKey(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<ApiKey | null> {
    return (await operations.find('api-keys.get', { keyId: id }))?.apiKey ?? null;
  }

  @Query(() => ApiKeyConnection, {
    nullable: true,
    description: 'API keys of the workspace that are not revoked, oldest first.',
  })
  async apiKeys(
    @Args(() => ForwardArguments) page: ForwardArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<ApiKeyConnection> {
    const input = readForwardPage(page, requestId);
    const { apiKeys, pagination } = await operations.read('api-keys.list', input);
    return connectionOf(apiKeys, ({ id }) => apiKeyCursor.of(id), {
      hasNext: pagination.next !== null,
      hasPrevious: input.after !== undefined,
    });
  }

  @Mutation(() => CreateApiKeyPayload)
  createApiKey(
    @Arg('input', () => CreateApiKeyInput) input: CreateApiKeyInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateApiKeyPayload> {
    return operations.write('api-keys.create', input, info);
  }

  @Mutation(() => RotateApiKeyPayload, { description: 'Rotates the secret of an API key.' })
  rotateApiKey(
    @Arg('input', () => RotateApiKeyInput) { id, ...rotation }: RotateApiKeyInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RotateApiKeyPayload> {
    return operations.write('api-keys.rotate', { keyId: id, ...rotation }, info);
  }

  @Mutation(() => DeleteApiKeyPayload, {
    description: 'Revokes an API key. Takes effect within a second.',
  })
  async deleteApiKey(
    @Arg('input', () => DeleteApiKeyInput) { id }: DeleteApiKeyInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeleteApiKeyPayload> {
    await operations.write('api-keys.delete', { keyId: id }, info);
    return { deletedId: id };
  }
}
