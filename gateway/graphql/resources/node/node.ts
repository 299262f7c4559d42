import { idPrefixes } from '@roster/contracts';
import { Field, ID, InterfaceType } from 'type-graphql';

const typeNames: Record<string, string> = {
  [idPrefixes.contact]: 'Contact',
  [idPrefixes.contactProperty]: 'ContactProperty',
  [idPrefixes.user]: 'User',
  [idPrefixes.key]: 'ApiKey',
  [idPrefixes.webhook]: 'Webhook',
  [idPrefixes.delivery]: 'Delivery',
  [idPrefixes.replay]: 'Replay',
  [idPrefixes.import]: 'Import',
};

/** The GraphQL type of an ID, by its prefix. */
export const typeNameOf = (id: string): string | undefined =>
  typeNames[id.slice(0, id.indexOf('_'))];

@InterfaceType({
  description: 'An object with a globally unique ID.',
  resolveType: ({ id }: { id: string }) => typeNameOf(id),
})
export abstract class Node {
  @Field(() => ID, {
    description:
      'The prefix identifies the type: `cont_…`, `prop_…`, `usr_…`, `key_…`, `wh_…`, `dlv_…`, `rpl_…`, `imp_…`.',
  })
  id!: string;
}
