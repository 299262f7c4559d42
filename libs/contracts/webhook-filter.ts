import { z } from 'zod';
import { entriesAtMost } from './entries-at-most.js';
import { changeableFields } from './event-details.js';
import { propertyName } from './operations/contacts/contact-fields.js';
import {
  propertyConditions,
  statusCondition,
  tagCondition,
} from './operations/contacts/contact-filter.js';

const conditionsMax = 20;

/** Maximum length of a condition, in characters: a workspace has a thousand webhooks. */
const conditionMax = 1024;

const field = z
  .string()
  .regex(
    new RegExp(`^(?:${changeableFields.join('|')}|properties\\.[A-Za-z][A-Za-z0-9_]{0,63})$`),
    `must be one of ${changeableFields.join(', ')}, or properties.NAME`,
  );

const hasValues = (fields: object): boolean =>
  Object.values(fields).some((one) => one !== undefined);

/** Which events of contacts a webhook receives. All of it must match. */
export const webhookFilter = z
  .strictObject({
    changed: z.array(field).min(1).max(conditionsMax).optional().meta({
      description:
        'Only events that changed one of these fields: `email`, `name`, `tags`, `status`, `properties`, `properties.NAME`.',
    }),
    tag: z.array(tagCondition(conditionMax)).min(1).max(conditionsMax).optional().meta({
      description:
        'Conditions on the tags, all of which must match: `vip`, `any:vip,customer`, `none:a,b`, `exists`, `missing`.',
    }),
    status: statusCondition
      .optional()
      .meta({ description: 'Condition on the status: `subscribed` or `not:subscribed`.' }),
    property: entriesAtMost(conditionsMax, z.record(propertyName, propertyConditions(conditionMax)))
      .refine((given) => Object.values(given).flat().length <= conditionsMax, {
        error: `must have at most ${conditionsMax} conditions together`,
      })
      .optional()
      .meta({
        description:
          'Conditions on properties by name: `{"city": "any:Paris,London", "age": ["gte:18", "lt:65"]}`. All of them must match.',
      }),
  })
  .refine(({ property = {}, ...others }) => hasValues(property) || hasValues(others), {
    error: 'must have a condition; null removes the filter',
  });

export type WebhookFilter = z.output<typeof webhookFilter>;
