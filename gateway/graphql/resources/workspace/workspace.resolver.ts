import { originsMax, type CallInputOf, type Operations } from '@roster/contracts';
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
import { Cost } from '../../document/field-cost.js';

@InputType()
class SetWorkspaceOriginsInput implements CallInputOf<Operations['workspaces.set-origins']> {
  @Field(() => [String], {
    description: `All origins of the workspace, such as \`https://app.example.com\`. At most ${originsMax}. Duplicates are removed.`,
  })
  origins!: string[];
}

@ObjectType()
class SetWorkspaceOriginsPayload {
  @Cost({ entriesMax: originsMax })
  @Field(() => [String], { description: 'In alphabetical order.' })
  origins!: string[];
}

@Resolver()
export class WorkspaceResolver {
  @Cost({ entriesMax: originsMax })
  @Query(() => [String], {
    nullable: true,
    description:
      'The origins whose web pages may use the keys and tokens of the workspace, in alphabetical order.',
  })
  async origins(@Ctx() { operations }: GraphqlContext): Promise<string[]> {
    return (await operations.readOnce('workspaces.origins')).origins;
  }

  @Mutation(() => SetWorkspaceOriginsPayload, {
    description: 'Requires an API key: browser tokens cannot change the origins.',
  })
  setWorkspaceOrigins(
    @Arg('input', () => SetWorkspaceOriginsInput) input: SetWorkspaceOriginsInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SetWorkspaceOriginsPayload> {
    return operations.write('workspaces.set-origins', input, info);
  }
}
