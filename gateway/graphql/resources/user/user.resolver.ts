import type { CallInputOf, Operations } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  Info,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import type { GraphqlContext } from '../../context.js';
import { EmailAddress } from '../../scalars.js';
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

@Resolver()
export class UserResolver {
  @Query(() => User, { nullable: true, description: 'The user that the API key belongs to.' })
  async me(@Ctx() { operations }: GraphqlContext): Promise<User> {
    return (await operations.read('users.me', {})).user;
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
}
