// The decorators of type-graphql require it.
// oxlint-disable-next-line import/no-unassigned-import -- it adds to the global Reflect
import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync, getMetadataStorage } from 'type-graphql';
import { ApiKeyResolver } from './resources/api-key/api-key.resolver.js';
import { AuditLogResolver } from './resources/audit-log/audit-log.resolver.js';
import { ContactMutations } from './resources/contact/contact.mutations.js';
import { ContactResolver } from './resources/contact/contact.resolver.js';
import { ContactQueries } from './resources/contact/contact.queries.js';
import { ContactPropertyResolver } from './resources/contact-property/contact-property.resolver.js';
import { DeliveryMutations } from './resources/delivery/delivery.mutations.js';
import { DeliveryResolver } from './resources/delivery/delivery.resolver.js';
import { ContactEvent, ImportEndedEvent, TeamMemberJoinedEvent } from './resources/event/event.js';
import { EventLogResolver } from './resources/event/event-log.resolver.js';
import { ContactEventResolver, EventResolver } from './resources/event/event.resolver.js';
import { ImportResolver } from './resources/import/import.resolver.js';
import { NodeResolver } from './resources/node/node.resolver.js';
import { ReplayResolver } from './resources/replay/replay.resolver.js';
import { SettingsResolver } from './resources/settings/settings.resolver.js';
import { TokenResolver } from './resources/token/token.resolver.js';
import { UserResolver } from './resources/user/user.resolver.js';
import { WebhookHistoryResolver } from './resources/webhook/webhook-history.resolver.js';
import { WebhookResolver } from './resources/webhook/webhook.resolver.js';
import { MetaResolver } from './resources/meta/meta.resolver.js';
import { WorkspaceResolver } from './resources/workspace/workspace.resolver.js';

/** The GraphQL schema. `schema.graphql` is its printed form. */
export function buildRosterSchema(): GraphQLSchema {
  // Fields that only read a property use graphql-js' default resolver. Type-graphql's would create a promise for each.
  for (const type of getMetadataStorage().objectTypes) type.simpleResolvers = true;
  return buildSchemaSync({
    resolvers: [
      NodeResolver,
      ContactResolver,
      ContactQueries,
      ContactMutations,
      ContactPropertyResolver,
      UserResolver,
      ApiKeyResolver,
      AuditLogResolver,
      TokenResolver,
      MetaResolver,
      WorkspaceResolver,
      SettingsResolver,
      WebhookResolver,
      WebhookHistoryResolver,
      DeliveryResolver,
      DeliveryMutations,
      ReplayResolver,
      ImportResolver,
      EventResolver,
      ContactEventResolver,
      EventLogResolver,
    ],
    orphanedTypes: [ContactEvent, TeamMemberJoinedEvent, ImportEndedEvent],
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
