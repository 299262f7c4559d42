import { z } from 'zod';
import { anyScope, defineOperation } from '../../operation.js';
import { originsMax } from '../users/origin.js';
import { pageMax } from '../../page.js';
import { apiKeysMax } from '../users/api-key.js';
import { batchOperationsMax } from '../contacts/contact-batch.js';
import { contactLimits, tagsMax } from '../contacts/contact-fields.js';
import { contactPropertiesMax } from '../contacts/contact-property.js';
import { webhooksMax } from '../webhooks/webhook.js';

/** Maxima that clients of every interface meet. */
export const interfaceLimits = {
  pageEntries: pageMax,
  batchOperations: batchOperationsMax,
  contactTags: tagsMax,
  contactProperties: contactLimits.properties,
  contactPropertyBytes: contactLimits.bytes,
  propertyDefinitions: contactPropertiesMax,
  webhooks: webhooksMax,
  apiKeys: apiKeysMax,
  origins: originsMax,
} as const;

/** Maximum number of addresses that an installation can state. */
export const sourceAddressesMax = 100;

const limit = (description: string) => z.int().meta({ description });

const meta = z
  .object({
    version: z.string().meta({ description: 'Version of Roster.' }),
    limits: z
      .object({
        pageEntries: limit('Entries of a page, unless its list has its own maximum.'),
        batchOperations: limit('Operations of a batch of contacts.'),
        contactTags: limit('Tags of a contact.'),
        contactProperties: limit('Properties of a contact.'),
        contactPropertyBytes: limit('Size of a contact with its properties, in bytes of JSON.'),
        propertyDefinitions: limit('Contact properties that a workspace defines.'),
        webhooks: limit('Webhooks of a workspace.'),
        apiKeys: limit('API keys of a workspace.'),
        origins: limit('Origins of a workspace.'),
      } satisfies Record<keyof typeof interfaceLimits, z.ZodType>)
      .meta({ id: 'Limits' }),
    eventRetentionSeconds: z.int().meta({ description: 'How long events can be read.' }),
    deliveryRetentionDays: z.int().meta({ description: 'How long deliveries can be read.' }),
    deliveryAddresses: z.array(z.string()).nullable().meta({
      maxItems: sourceAddressesMax,
      description:
        'Addresses and CIDR ranges that deliveries are sent from; null if the operator has not stated them.',
    }),
  })
  .meta({ id: 'Meta' });

export const metaOperations = {
  'meta.get': defineOperation({
    name: 'meta.get',
    summary: 'Get the version and the limits of this installation',
    service: 'dispatcher',
    access: 'read',
    scope: anyScope,
    tag: 'Meta',
    http: { method: 'GET', path: '/v1/meta', status: 200, etag: { maintained: [] } },
    input: z.strictObject({}),
    output: z.object({ meta }),
    faults: [],
  }),
};
