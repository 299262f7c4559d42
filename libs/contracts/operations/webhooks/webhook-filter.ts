import { z } from 'zod';
import { readCondition } from '../../condition.js';
import { entriesAtMost } from '../../entries-at-most.js';
import { changeableFields } from '../../event-details.js';
import { text } from '../../text.js';
import { contactStatuses, propertyName } from '../contacts/contact-fields.js';

const conditionsMax = 20;

/** A string of `readCondition`. */
const condition = (check: (value: string) => string | undefined = () => undefined) =>
  text(1, 1024).superRefine((value, context) => {
    const found = readCondition(value);
    const problem =
      'problem' in found
        ? found.problem
        : 'values' in found
          ? found.values.map(check).find(Boolean)
          : check('');
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const isComparison = (value: string): boolean => 'value' in readCondition(value);
const withoutComparison = (schema: ReturnType<typeof condition>) =>
  schema.refine((value) => !isComparison(value), {
    error: 'must not be a comparison',
  });

const statuses: readonly string[] = contactStatuses;
const field = z
  .string()
  .max(75)
  .refine(
    (value) =>
      (changeableFields as readonly string[]).includes(value) ||
      (value.startsWith('properties.') && propertyName.safeParse(value.slice(11)).success),
    { error: `must be one of ${changeableFields.join(', ')}, or properties.NAME` },
  );

/** Which events of contacts a webhook receives. All of it must match. */
export const webhookFilter = z
  .strictObject({
    changed: z.array(field).min(1).max(conditionsMax).optional().meta({
      description:
        'Only events that changed one of these fields: `email`, `name`, `tags`, `status`, `properties`, `properties.NAME`.',
    }),
    tag: z.array(withoutComparison(condition())).min(1).max(conditionsMax).optional().meta({
      description:
        'Conditions on the tags, all of which must match: `vip`, `any:vip,customer`, `none:a,b`, `exists`, `missing`.',
    }),
    status: withoutComparison(
      condition((value) =>
        value === '' || statuses.includes(value) ? undefined : `must name ${statuses.join(' or ')}`,
      ),
    )
      .optional()
      .meta({ description: 'Condition on the status: `subscribed` or `not:subscribed`.' }),
    property: entriesAtMost(conditionsMax, z.record(propertyName, condition())).optional().meta({
      description:
        'Conditions on properties by name: `{"city": "any:Paris,London", "plan": "exists"}`.',
    }),
  })
  .refine((filter) => Object.values(filter).some((one) => one !== undefined), {
    error: 'must have a condition; null removes the filter',
  });

export type WebhookFilter = z.output<typeof webhookFilter>;
