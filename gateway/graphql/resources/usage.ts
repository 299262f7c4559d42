import { operations, usageLimits } from '@roster/contracts';
import { Args, ArgsType, Ctx, ObjectType, Query, Resolver } from 'type-graphql';
import { FieldsOf, InputFieldsOf } from '../contract/fields-of.js';
import { withoutNull } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';

const { input, output } = operations['usage.get'];

@ArgsType()
@InputFieldsOf(input)
class UsageArguments {}

@ObjectType({ description: 'The attempts of deliveries of the workspace on a day.' })
@FieldsOf(output.shape.usage.element.shape.deliveries)
class UsageDeliveries {}

@ObjectType({ description: 'What the workspace used on a day.' })
@FieldsOf(output.shape.usage.element)
class UsageDay {}

@Resolver()
export class UsageResolver {
  @Cost({ entriesMax: usageLimits.days })
  @Query(() => [UsageDay], {
    nullable: true,
    description: 'The usage of the workspace by day, oldest first.',
  })
  async usage(
    @Args(() => UsageArguments) given: UsageArguments,
    @Ctx() { operations: calls }: GraphqlContext,
  ): Promise<UsageDay[]> {
    return (await calls.read('usage.get', withoutNull(given))).usage;
  }
}

/** Found by the name that it has in the contracts. */
export const usageTypes = [UsageDeliveries];
