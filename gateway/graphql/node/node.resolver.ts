import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { Fault } from '@roster/contracts';
import type { Ask } from '../ask.js';
import type { GraphqlContext } from '../context.js';
import { errorOf } from '../errors.js';
import { nodesMax } from '../document/limits.js';
import { findReplay } from '../replay/replay.js';
import { Node, typeNameOf } from './node.js';

@Resolver()
export class NodeResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Anything by its id; null when there is no such thing in the workspace.',
  })
  async node(
    @Arg('id', () => ID) id: string,
    @Ctx() { ask }: GraphqlContext,
  ): Promise<Node | null> {
    return findNode(ask, id);
  }

  @Query(() => [Node], {
    nullable: 'items',
    description: `Up to ${nodesMax} things by their ids, in the order of the ids; null in place of those that are not there.`,
  })
  nodes(
    @Arg('ids', () => [ID]) ids: string[],
    @Ctx() { ask, requestId }: GraphqlContext,
  ): (Promise<Node | null> | null)[] {
    if (ids.length > nodesMax) {
      const errors = [{ pointer: '/ids', message: `must have at most ${nodesMax} entries` }];
      throw errorOf(new Fault('invalid', 'Some fields are not right.', { errors }), requestId);
    }
    return ids.map((id) => findNode(ask, id));
  }
}

const finders: Record<string, (ask: Ask, id: string) => Promise<Node | null>> = {
  Contact: async (ask, id) => (await ask.find('contacts.get', { contactId: id }))?.contact ?? null,
  ContactProperty: async (ask, id) =>
    (await ask.find('contact-properties.get', { propertyId: id }))?.property ?? null,
  // Of users, a key sees its own.
  User: async (ask, id) => {
    const { user } = await ask.read('users.me', {});
    return user.id === id ? user : null;
  },
  Webhook: async (ask, id) => (await ask.find('webhooks.get', { webhookId: id }))?.webhook ?? null,
  Delivery: async (ask, id) =>
    (await ask.find('deliveries.get', { deliveryId: id }))?.delivery ?? null,
  Replay: findReplay,
};

async function findNode(ask: Ask, id: string): Promise<Node | null> {
  const find = finders[typeNameOf(id) ?? ''];
  return find ? find(ask, id) : null;
}
