import { userCursor, type CallInputOf, type Operations } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Field,
  ID,
  Info,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { EmailAddress } from '../../scalars.js';
import { connectionOf } from '../node/connection.js';
import { ForwardArguments, readForwardPage } from '../node/forward-arguments.js';
import { UserConnection } from './user-connection.js';
import { User } from './user.js';

@InputType()
class CreateUserInput implements CallInputOf<Operations['users.create']> {
  @Field(() => EmailAddress, { description: 'Unique within the workspace, ignoring case.' })
  email!: string;

  @Field(() => String, { description: '1 to 256 characters.' })
  name!: string;
}

@InputType({ description: 'Omitted fields are left unchanged.' })
class UpdateMeInput implements CallInputOf<Operations['users.update-me']> {
  @Field(() => String, { nullable: true, description: '1 to 256 characters.' })
  name?: string;
}

@InputType()
class DeleteUserInput {
  @Field(() => ID)
  id!: string;
}

@ObjectType()
class CreateUserPayload {
  @Field(() => User)
  user!: User;
}

@ObjectType()
class UpdateMePayload {
  @Field(() => User)
  user!: User;
}

@ObjectType()
class DeleteUserPayload {
  @Field(() => ID, { description: 'ID of the deleted user.' })
  deletedId!: string;
}

@Resolver()
export class UserResolver {
  @Query(() => User, { nullable: true, description: 'The user that the API key belongs to.' })
  async me(@Ctx() { operations }: GraphqlContext): Promise<User> {
    return (await operations.read('users.me', {})).user;
  }

  @Query(() => User, {
    nullable: true,
    description: 'A user of the workspace by ID; null when there is none.',
  })
  async user(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<User | null> {
    return (await operations.find('users.get', { userId: id }))?.user ?? null;
  }

  @Query(() => UserConnection, {
    nullable: true,
    description: 'Users of the workspace, oldest first.',
  })
  async users(
    @Args(() => ForwardArguments) page: ForwardArguments,
    @Ctx() { operations, requestId }: GraphqlContext,
  ): Promise<UserConnection> {
    const input = readForwardPage(page, requestId);
    const { users, pagination } = await operations.read('users.list', input);
    return connectionOf(users, ({ id }) => userCursor.of(id), {
      hasNext: pagination.next !== null,
      hasPrevious: input.after !== undefined,
    });
  }

  @Mutation(() => CreateUserPayload)
  createUser(
    @Arg('input', () => CreateUserInput) input: CreateUserInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CreateUserPayload> {
    return operations.write('users.create', input, info);
  }

  @Mutation(() => UpdateMePayload)
  updateMe(
    @Arg('input', () => UpdateMeInput) input: UpdateMeInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpdateMePayload> {
    return operations.write('users.update-me', input, info);
  }

  @Mutation(() => DeleteUserPayload, {
    description:
      'Deletes another user with all of their API keys, which end within a second. Requires an API key.',
  })
  async deleteUser(
    @Arg('input', () => DeleteUserInput) { id }: DeleteUserInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeleteUserPayload> {
    await operations.write('users.delete', { userId: id }, info);
    return { deletedId: id };
  }
}
