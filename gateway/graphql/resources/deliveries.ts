import { operations, type Operations, type OutputOf } from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Args,
  ArgsType,
  Ctx,
  Field,
  Info,
  InputType,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import { connectionOf, ConnectionOf, type Connection } from '../contract/connection.js';
import { FieldsOf, InputFieldsOf } from '../contract/fields-of.js';
import { PageArguments, readPage, withoutNull } from '../contract/page-arguments.js';
import { selectedNames } from '../contract/selected-names.js';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { Delivery, type DeliveryShape } from './delivery.js';

const { input, output } = operations['workspace-deliveries.list'];
type Totals = OutputOf<Operations['workspace-deliveries.list']>['totals'];

@InputType({
  description: 'Deliveries that match all given fields. Fields that are null do not restrict them.',
})
@InputFieldsOf(input.omit({ totals: true, limit: true, after: true, before: true, from: true }))
class DeliveryFilter {}

@ArgsType()
class DeliveriesArguments extends PageArguments {
  @Field(() => DeliveryFilter, { nullable: true, description: 'Only deliveries that match.' })
  filter?: object | null;
}

@ObjectType({ description: 'Numbers of deliveries by status.' })
@FieldsOf(output.shape.totals.unwrap())
class DeliveryTotals {}

@ConnectionOf(() => Delivery, {
  edge: 'DeliveryEdge',
  of: 'a delivery',
  description: 'Deliveries, newest first.',
  cursor: 'Cursor for `after` and `before`.',
})
export class DeliveryConnection {
  @Field(() => DeliveryTotals, {
    nullable: true,
    description:
      'Numbers of the deliveries that match the filter, whatever its `status`. Computed only when selected. Null for `Webhook.deliveries`.',
  })
  totals?: Totals;
}

@Resolver()
export class DeliveriesResolver {
  @Cost({ searchedBy: ['filter'] })
  @Query(() => DeliveryConnection, {
    nullable: true,
    description:
      'Deliveries to all webhooks of the workspace, newest first. With a filter other than the time, a page may contain fewer deliveries, or none, although further pages follow.',
  })
  async deliveries(
    @Args(() => DeliveriesArguments) { filter, ...page }: DeliveriesArguments,
    @Ctx() { operations: calls, requestId }: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Connection<DeliveryShape> & DeliveryConnection> {
    const { fromEnd, ...bounds } = readPage(page, requestId);
    const { deliveries, totals, pagination } = await calls.read('workspace-deliveries.list', {
      ...withoutNull({ ...filter }),
      ...bounds,
      totals: selectedNames(info).has('totals'),
      from: fromEnd ? 'oldest' : 'newest',
    });
    const { next, previous } = pagination;
    const around = { hasNext: next !== null, hasPrevious: previous !== null };
    const connection = connectionOf(deliveries, around, undefined, { start: previous, end: next });
    return { ...connection, totals };
  }
}
