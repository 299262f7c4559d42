import { Arg, Ctx, Field, ID, InterfaceType, ObjectType, Query, Resolver } from 'type-graphql';
import type { z } from 'zod';
import { FieldsOf, type Descriptions } from '../contract/fields-of.js';
import { lookUpOf } from '../contract/look-ups.js';
import { invalid } from '../contract/page-arguments.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { nodesMax } from '../document/limits.js';

@InterfaceType({
  description: 'An object with a globally unique ID.',
  resolveType: ({ id }: { id: string }) => lookUpOf(id)?.typeName,
})
export abstract class Node {
  @Field(() => ID, {
    description:
      'The prefix identifies the type: `cont_…`, `prop_…`, `usr_…`, `key_…`, `wh_…`, `dlv_…`, `rpl_…`, `imp_…`, `act_…`, `sup_…`, `ses_…`.',
  })
  id!: string;
}

/** Declares the type of the objects of a contract, which have an ID. */
export const NodeType =
  <Contract extends z.ZodObject>(
    description: string,
    contract: Contract,
    descriptions: Descriptions<keyof Contract['shape'] & string> = {},
  ) =>
  (target: Function): void => {
    FieldsOf((contract as z.ZodObject).omit({ id: true }), descriptions)(target);
    ObjectType({ implements: Node, description })(target);
  };

@Resolver()
export class NodeResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Any object by its ID; null when it does not exist in the workspace.',
  })
  async node(
    @Arg('id', () => ID) id: string,
    @Ctx() { operations }: GraphqlContext,
  ): Promise<Node | null> {
    return lookUpOf(id)?.find(operations, id) ?? null;
  }

  @Cost({ entriesMax: nodesMax, calls: 'entry' })
  @Query(() => [Node], {
    nullable: 'items',
    description: `Up to ${nodesMax} objects by their IDs, in the order of the IDs. Null for each that does not exist.`,
  })
  nodes(
    @Arg('ids', () => [ID]) ids: string[],
    @Ctx() { operations, requestId }: GraphqlContext,
  ): (Promise<Node | null> | null)[] {
    if (ids.length > nodesMax)
      throw invalid(
        [{ pointer: '/ids', message: `must have at most ${nodesMax} entries` }],
        requestId,
      );
    return ids.map((id) => lookUpOf(id)?.find(operations, id) ?? null);
  }
}
