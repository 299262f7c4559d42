import type { CallInputOf, Operations, OutputOf } from '@roster/contracts';
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

@ObjectType({ description: 'Settings of the workspace.' })
class Settings implements Required<OutputOf<Operations['settings.get']>['settings']> {
  @Field(() => Boolean, {
    description:
      'Whether contacts with a property name that has no definition are rejected. Otherwise the name is defined.',
  })
  strictProperties!: boolean;
}

@InputType({ description: 'Omitted fields are left unchanged.' })
class UpdateSettingsInput implements CallInputOf<Operations['settings.update']> {
  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether to reject contacts with a property name that has no definition.',
  })
  strictProperties?: boolean;
}

@ObjectType()
class UpdateSettingsPayload {
  @Field(() => Settings)
  settings!: Settings;
}

@Resolver()
export class SettingsResolver {
  @Query(() => Settings, { nullable: true, description: 'The settings of the workspace.' })
  async settings(@Ctx() { operations }: GraphqlContext): Promise<Settings> {
    return (await operations.read('settings.get', {})).settings;
  }

  @Mutation(() => UpdateSettingsPayload, {
    description: 'Contacts that are written after the response obey the settings.',
  })
  updateSettings(
    @Arg('input', () => UpdateSettingsInput) input: UpdateSettingsInput,
    @Ctx() { operations }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UpdateSettingsPayload> {
    return operations.write('settings.update', input, info);
  }
}
