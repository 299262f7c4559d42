import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { invalidFields } from '@roster/contracts';
import type { RequestOperations } from '../../request/request-operations.js';
import type { GraphqlContext } from '../../context.js';
import { errorOf } from '../../errors.js';
import { Cost } from '../../document/field-cost.js';
import { nodesMax } from '../../document/limits.js';
import { findImport } from '../import/import.js';
import { findReplay } from '../replay/replay.js';
import { Node, typeNameOf } from './node.js';

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
    return findNode(operations, id);
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
    if (ids.length > nodesMax) {
      const errors = [{ pointer: '/ids', message: `must have at most ${nodesMax} entries` }];
      throw errorOf(invalidFields(errors), requestId);
    }
    return ids.map((id) => findNode(operations, id));
  }
}

const finders: Record<string, (operations: RequestOperations, id: string) => Promise<Node | null>> =
  {
    Contact: async (operations, id) =>
      (await operations.find('contacts.get', { contactId: id }))?.contact ?? null,
    ContactProperty: async (operations, id) =>
      (await operations.find('contact-properties.get', { propertyId: id }))?.property ?? null,
    User: async (operations, id) =>
      (await operations.find('users.get', { userId: id }))?.user ?? null,
    ApiKey: async (operations, id) =>
      (await operations.find('api-keys.get', { keyId: id }))?.apiKey ?? null,
    Webhook: async (operations, id) =>
      (await operations.find('webhooks.get', { webhookId: id }))?.webhook ?? null,
    Delivery: async (operations, id) =>
      (await operations.find('deliveries.get', { deliveryId: id }))?.delivery ?? null,
    Replay: findReplay,
    Import: findImport,
  };

async function findNode(operations: RequestOperations, id: string): Promise<Node | null> {
  const find = finders[typeNameOf(id) ?? ''];
  return find ? find(operations, id) : null;
}
