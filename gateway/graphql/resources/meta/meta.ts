import {
  sourceAddressesMax,
  type interfaceLimits,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { Field, Int, ObjectType } from 'type-graphql';
import { Cost } from '../../document/field-cost.js';

@ObjectType({ description: 'Maxima of this installation.' })
class Limits implements Record<keyof typeof interfaceLimits, number> {
  @Field(() => Int, { description: 'Entries of a page, unless its list has its own maximum.' })
  pageEntries!: number;

  @Field(() => Int, { description: 'Operations of a batch of contacts.' })
  batchOperations!: number;

  @Field(() => Int, { description: 'Tags of a contact.' })
  contactTags!: number;

  @Field(() => Int, { description: 'Properties of a contact.' })
  contactProperties!: number;

  @Field(() => Int, { description: 'Size of all properties of a contact, in bytes of JSON.' })
  contactPropertyBytes!: number;

  @Field(() => Int, { description: 'Contact properties that a workspace defines.' })
  propertyDefinitions!: number;

  @Field(() => Int, { description: 'Webhooks of a workspace.' })
  webhooks!: number;

  @Field(() => Int, { description: 'API keys of a workspace.' })
  apiKeys!: number;

  @Field(() => Int, { description: 'Origins of a workspace.' })
  origins!: number;
}

@ObjectType({ description: 'The version and the limits of this installation.' })
export class Meta implements MetaShape {
  @Field(() => String, { description: 'Version of Roster.' })
  version!: string;

  @Field(() => Limits)
  limits!: Limits;

  @Field(() => Int, { description: 'How long events can be read.' })
  eventRetentionSeconds!: number;

  @Field(() => Int, { description: 'How long deliveries can be read.' })
  deliveryRetentionDays!: number;

  @Cost({ entriesMax: sourceAddressesMax })
  @Field(() => [String], {
    nullable: true,
    description:
      'Addresses and CIDR ranges that deliveries are sent from. Null if the operator has not stated them.',
  })
  deliveryAddresses!: string[] | null;
}

type MetaShape = OutputOf<Operations['meta.get']>['meta'];
