// The decorators of type-graphql require it.
// oxlint-disable-next-line import/no-unassigned-import -- it adds to the global Reflect
import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, getMetadataStorage } from 'type-graphql';
import { ContactMutations } from './contact/contact.mutations.js';
import { ContactQueries } from './contact/contact.queries.js';
import { ContactPropertyResolver } from './contact-property/contact-property.resolver.js';
import { DeliveryMutations } from './delivery/delivery.mutations.js';
import { DeliveryResolver } from './delivery/delivery.resolver.js';
import { ContactEvent, TeamMemberJoinedEvent } from './event/event.js';
import { EventResolver } from './event/event.resolver.js';
import { NodeResolver } from './node/node.resolver.js';
import { ReplayResolver } from './replay/replay.resolver.js';
import { UserResolver } from './user/user.resolver.js';
import { WebhookHistoryResolver } from './webhook/webhook-history.resolver.js';
import { WebhookResolver } from './webhook/webhook.resolver.js';

/** The GraphQL schema. `schema.graphql` is its printed form. */
export function buildRosterSchema(): GraphQLSchema {
  // Fields that only read a property use graphql-js' default resolver. Type-graphql's would create a promise for each.
  for (const type of getMetadataStorage().objectTypes) type.simpleResolvers = true;
  return buildSchemaSync({
    resolvers: [
      NodeResolver,
      ContactQueries,
      ContactMutations,
      ContactPropertyResolver,
      UserResolver,
      WebhookResolver,
      WebhookHistoryResolver,
      DeliveryResolver,
      DeliveryMutations,
      ReplayResolver,
      EventResolver,
    ],
    orphanedTypes: [ContactEvent, TeamMemberJoinedEvent],
    // Input is validated once, by the schema of the contract.
    validate: false,
    pubSub: unusedPubSub,
  });
}

/** Required by type-graphql. Subscriptions here have their own source of events. */
const unusedPubSub = {
  publish: () => {},
  subscribe: () => {
    throw new Error('this process publishes no events');
  },
};
