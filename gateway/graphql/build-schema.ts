// The decorators of type-graphql require it.
// oxlint-disable-next-line import/no-unassigned-import -- it adds to the global Reflect
import 'reflect-metadata';
import { lexicographicSortSchema, printSchema, type GraphQLSchema } from 'graphql';
import { fileURLToPath } from 'node:url';
import { buildSchemaSync, getMetadataStorage } from 'type-graphql';
import { ContractMutations, declareMutations } from './contract/mutations.js';
import { ContractQueries, declareQueries } from './contract/queries.js';
import { ActivityResolver } from './resources/activity.js';
import { ContactPropertyResolver, PropertyTypeChange } from './resources/contact-property.js';
import { ContactResolver } from './resources/contact.js';
import { ContactsResolver } from './resources/contacts.js';
import { DeliveryResolver, deliveryTypes } from './resources/delivery.js';
import { EventLogResolver } from './resources/event-log.js';
import {
  ActionEndedEvent,
  ContactEvent,
  ContactEventResolver,
  DeliveryDeadEvent,
  EventResolver,
  ImportEndedEvent,
  KeyExpiringEvent,
  TeamMemberJoinedEvent,
  WebhookEvent,
} from './resources/event.js';
import { ImportErrorsResolver } from './resources/import-errors.js';
import { NodeResolver } from './resources/node.js';
import { ReplayResolver } from './resources/replay.js';
import { UsageResolver, usageTypes } from './resources/usage.js';
import { WebhookDeliveriesResolver } from './resources/webhook-deliveries.js';
import { DeliveriesResolver } from './resources/deliveries.js';
import { WebhookResolver } from './resources/webhook.js';
import { workspaceTypes } from './resources/workspace.js';

export const schemaFile = fileURLToPath(new URL('../../schema.graphql', import.meta.url));

/** Operations whose queries and mutations have resolvers of their own, because their shape is another one in GraphQL. */
const byHand = new Set([
  'contacts.list',
  'contact-properties.list',
  'webhooks.list',
  'event-log.list',
  'workspace-deliveries.list',
  'contacts.property-values',
  'webhook-health.get',
  'usage.get',
  'replays.create',
]);

// Queries and mutations are declared once, as the classes are.
declareQueries(byHand);
declareMutations(byHand);

/** The GraphQL schema. `schema.graphql` is its printed form. */
export function buildRosterSchema(): GraphQLSchema {
  // Fields that only read a property use graphql-js' default resolver. Type-graphql's would create a promise for each.
  for (const type of getMetadataStorage().objectTypes) type.simpleResolvers = true;
  return buildSchemaSync({
    resolvers: [
      ContractQueries,
      ContractMutations,
      NodeResolver,
      ImportErrorsResolver,
      ContactResolver,
      ContactsResolver,
      ContactPropertyResolver,
      WebhookResolver,
      WebhookDeliveriesResolver,
      DeliveriesResolver,
      DeliveryResolver,
      ReplayResolver,
      EventResolver,
      ContactEventResolver,
      EventLogResolver,
      ActivityResolver,
      UsageResolver,
    ],
    orphanedTypes: [
      ContactEvent,
      TeamMemberJoinedEvent,
      ImportEndedEvent,
      ActionEndedEvent,
      WebhookEvent,
      DeliveryDeadEvent,
      KeyExpiringEvent,
      ...deliveryTypes,
      ...workspaceTypes,
      ...usageTypes,
      PropertyTypeChange,
    ],
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

/** The schema in its committed form: sorted, for small diffs. */
export const printedSchema = (schema = buildRosterSchema()): string =>
  `${printSchema(lexicographicSortSchema(schema))}\n`;
