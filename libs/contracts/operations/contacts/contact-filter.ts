import { z } from 'zod';
import { entriesAtMost } from '../../entries-at-most.js';
import { email, inputInstant, inputTimestamp, text } from '../../text.js';
import { contactStatuses, externalId, propertyName, propertyText } from './contact-fields.js';
import { conditionValuesMax, readCondition, valuesOf } from './filter-condition.js';

/** Orders of a list of contacts. By default, contacts are in the order of their creation. */
export const contactSorts = [
  'createdAt',
  '-createdAt',
  'email',
  '-email',
  'name',
  '-name',
  'updatedAt',
  '-updatedAt',
] as const;
type IndexedSort = (typeof contactSorts)[number];
/** Orders by the values of a property, before its name. No index has them: a limited number of contacts is sorted. */
const propertySorts = ['property:', '-property:'] as const;
export type PropertySort = `${(typeof propertySorts)[number]}${string}`;
export type ContactSort = IndexedSort | PropertySort;

export const isPropertySort = (sort: ContactSort): sort is PropertySort => sort.includes(':');

/** The name of the property that an order is by. */
export const propertyOfSort = (sort: PropertySort): string => sort.slice(sort.indexOf(':') + 1);

const contactSort: z.ZodType<ContactSort, ContactSort> = z.union(
  [z.enum(contactSorts), z.templateLiteral([z.enum(propertySorts), propertyName])],
  {
    error: `must be one of ${contactSorts.join(', ')}, or property: and the name of a property, also with a minus in front`,
  },
);

/** Maximum number of properties in a filter. */
const filterPropertiesMax = 20;
/** Maximum number of tags in a filter. */
const filterTagsMax = 20;

/** Maximum length of a condition, in characters. Longer lists of long values are not needed, and fit into no URL. */
const conditionMax = 8192;

/**
 * A condition in the grammar of `readCondition`.
 *
 * @param value schema of each value
 */
const condition = (value: z.ZodType<string>, isOrdered: boolean, lengthMax: number) =>
  text(value.safeParse('').success ? 0 : 1, lengthMax).superRefine((given, context) => {
    const read = readCondition(given, isOrdered);
    const wrong = (message: string) => context.addIssue({ code: 'custom', message });
    if ('problem' in read) return wrong(read.problem);
    for (const each of valuesOf(read)) {
      const { error } = value.safeParse(each);
      if (error) return wrong(error.issues[0]!.message);
    }
  });

/** A condition on the tags of a contact. */
export const tagCondition = (lengthMax = conditionMax) => condition(text(1, 64), false, lengthMax);
/** A condition on the value of a property. */
const propertyCondition = (lengthMax: number) => condition(propertyText, true, lengthMax);

/** Maximum number of conditions on one property. */
const conditionsEachMax = 4;

/** A condition on a property, or several, as of a range. */
export const propertyConditions = (lengthMax = conditionMax) =>
  z.union(
    [
      propertyCondition(lengthMax),
      z
        .array(propertyCondition(lengthMax))
        .min(1)
        .max(conditionsEachMax, { error: `must have at most ${conditionsEachMax} entries` })
        .refine((given) => given.filter(isExact).length <= 1, {
          error: 'must have at most one exact value: any:… means one of several',
        }),
    ],
    {
      error: ({ errors }) =>
        (errors as z.core.$ZodIssue[][]).flat().find(({ code }) => code !== 'invalid_type')
          ?.message ?? 'must be a string, or an array of strings',
    },
  );

function isExact(given: string): boolean {
  const read = readCondition(given, true);
  return !('problem' in read) && 'is' in read;
}

function hasFewValues(conditions: readonly string[], isOrdered: boolean): boolean {
  const counts = conditions.map((given) => {
    const read = readCondition(given, isOrdered);
    return 'problem' in read ? 0 : valuesOf(read).length;
  });
  return counts.reduce((sum, count) => sum + count, 0) <= conditionValuesMax.all;
}

const tooManyValues = {
  error: `must have at most ${conditionValuesMax.all} values in all its conditions together`,
};

/** `not:subscribed` and `unsubscribed` are the same: read as the latter. */
export const statusCondition = z
  .enum([...contactStatuses, ...contactStatuses.map((status) => `not:${status}` as const)])
  .overwrite((given) =>
    given.startsWith('not:')
      ? contactStatuses.find((status) => !given.endsWith(`:${status}`))!
      : given,
  );

/** Fields that restrict a list of contacts, and its order. A contact must match all of them. */
export const contactFilterFields = {
  email: email.optional().meta({ description: 'Email address, ignoring case.' }),
  externalId: externalId.optional().meta({ description: 'ID in another system, exactly.' }),
  tag: z
    .array(tagCondition())
    .max(filterTagsMax)
    .refine((given) => hasFewValues(given, false), tooManyValues)
    .optional()
    .meta({
      description:
        'Contacts with this tag, or `any:vip,customer`, `none:vip,customer`, `not:vip`, `exists`, `missing`, `is:exists` for a tag of that name. Repeat it: contacts must match all. Without a prefix, `tag=a,b` means the tag `a,b`.',
    }),
  status: statusCondition
    .optional()
    .meta({ description: 'Subscription status, or `not:` and a status.' }),
  property: entriesAtMost(filterPropertiesMax, z.record(propertyName, propertyConditions()))
    .refine((given) => hasFewValues(Object.values(given).flat(), true), tooManyValues)
    .optional()
    .meta({
      description:
        'Contacts whose property has exactly this value, as `city:Paris`, or `city:any:Paris,Rome`, `city:none:Paris,Rome`, `city:not:Paris`, `city:exists`, `city:missing`, `since:gte:2026-01-01` (`gt`, `gte`, `lt`, `lte`). With several conditions, also on one property, as `age:gte:18` and `age:lt:65`, all must match.',
    }),
  createdAfter: inputTimestamp
    .optional()
    .meta({ format: 'date-time', description: 'Contacts created after this time.' }),
  createdBefore: inputTimestamp
    .optional()
    .meta({ format: 'date-time', description: 'Contacts created before this time.' }),
  updatedAfter: inputInstant.optional().meta({
    format: 'date-time',
    description:
      'Contacts created or changed after this time, which is exact to the microsecond. With `sort=updatedAt`, a reader that continues after the greatest `updatedAt` that it has seen misses no change.',
  }),
  updatedBefore: inputInstant.optional().meta({
    format: 'date-time',
    description: 'Contacts created or last changed before this time.',
  }),
  q: text(1, 254)
    .refine((value) => value.trim() !== '', { error: 'must not consist of white space' })
    .optional()
    .meta({
      description:
        'Contacts whose email address contains this text (with fewer than three characters: begins with it), or whose name has words that begin with all of its words. Case is ignored.',
    }),
  sort: contactSort.optional().meta({
    description:
      'Order: `createdAt` (default), `email`, `name` or `updatedAt`, or `property:` and the name of a property; with a minus in front, the reverse. Cursors are valid for one order.',
  }),
};
