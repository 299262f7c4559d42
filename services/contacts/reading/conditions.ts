import {
  emailKey,
  firstIdAt,
  firstIdAtInstant,
  type InputOf,
  lastIdAt,
  lastIdAtInstant,
  sortedChars,
  nameWords,
  type Operations,
  uuidOf,
} from '@roster/contracts';
import { beginning, end } from './page.js';
import { noTypes, propertyFilter, tagFilter, type PropertyTypes } from './value-filter.js';

export type FindInput = InputOf<Operations['contacts.find']>;
/** The fields of it that select contacts. */
export type Filter = Omit<InputOf<Operations['contacts.export']>, 'format'>;

/**
 * Conditions of a filter, as statements distinguish them. `anyTags` and `anyProperties` are lists of which one must occur, `others`
 * are conditions on tags and properties that no index finds.
 */
export type Condition =
  | 'email'
  | 'externalId'
  | 'tags'
  | 'properties'
  | 'anyTags'
  | 'anyProperties'
  | 'others'
  | 'subscribed'
  | 'unsubscribed'
  | 'created'
  | 'changed'
  | 'beginning'
  | 'part';

export function conditionsOf(input: Filter, types = noTypes): Condition[] {
  const { email, status, createdAfter, createdBefore, updatedAfter, updatedBefore, q } = input;
  const [tags, properties] = [tagFilter(input.tag), propertyFilter(input.property, types)];
  const pattern = q === undefined ? undefined : patternOf(partOfKey(q.trim()));
  const given: Record<Condition, boolean> = {
    email: email !== undefined,
    externalId: input.externalId !== undefined,
    tags: tags.contained !== null,
    properties: properties.contained !== null,
    anyTags: tags.hasAny,
    anyProperties: properties.hasAny,
    others: tags.hasOthers || properties.hasOthers,
    subscribed: status === 'subscribed',
    unsubscribed: status === 'unsubscribed',
    created: createdAfter !== undefined || createdBefore !== undefined,
    changed: updatedAfter !== undefined || updatedBefore !== undefined,
    beginning: pattern === null,
    part: typeof pattern === 'string',
  };
  return (Object.keys(given) as Condition[]).filter((condition) => given[condition]);
}

/**
 * The values of `$1` to `$15`: null for conditions that are not part of the filter. Tags and properties contain `$3` and `$4`, and match
 * the predicates `$12` and `$13`. The IDs of a period are between `$6` and `$7`, or between `beginning` and `end`. Of a text, an address
 * has the beginning `$8` or the part `$9`, whose pattern in `contacts.addresses` is `$10`, or a name has the words `$11`. The IDs of last
 * changes are between `$14` and `$15`.
 */
export function conditionValues(
  workspaceId: string,
  input: Filter,
  types: PropertyTypes,
): unknown[] {
  const { email, status, createdAfter, createdBefore, updatedAfter, updatedBefore } = input;
  const [tags, properties] = [tagFilter(input.tag), propertyFilter(input.property, types)];
  const q = input.q?.trim();
  const key = q === undefined ? null : partOfKey(q);
  const pattern = key === null ? null : patternOf(key);
  return [
    uuidOf('workspace', workspaceId),
    email === undefined && input.externalId === undefined
      ? null
      : [email === undefined ? null : emailKey(email), input.externalId ?? null],
    tags.contained,
    properties.contained,
    status ?? null,
    createdAfter === undefined ? beginning : lastIdAt(Date.parse(createdAfter)),
    createdBefore === undefined ? end : firstIdAt(Date.parse(createdBefore)),
    key,
    pattern && key,
    pattern,
    q === undefined ? null : beginningsOf(nameWords(q)),
    tags.predicate,
    properties.predicate,
    updatedAfter === undefined ? beginning : lastIdAtInstant(updatedAfter),
    updatedBefore === undefined ? end : firstIdAtInstant(updatedBefore),
  ];
}

/** A part of an address in its normal form. A domain is decoded as that of an address. */
const partOfKey = (q: string): string =>
  q.startsWith('@') ? emailKey(`x${q}`).slice(1) : emailKey(q);

/**
 * The pattern of a part of an address in `contacts.addresses`, which is in ASCII. Null for fewer than three characters, and for
 * those that the index cannot find: it contains three letters or digits in a row, and beginnings and ends of words.
 */
function patternOf(part: string): string | null {
  const octal = part.replaceAll(/[^\0-\x7f]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `\\${byte.toString(8)}`).join(''),
  );
  const isFound = /[a-z\d]{3}|[^a-z\d][a-z\d]|[a-z\d]{2}[^a-z\d]/.test(octal);
  return [...part].length >= 3 && isFound
    ? `%${octal.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
    : null;
}

/** A `tsquery` of words with these beginnings, which consist of letters, marks and digits. */
const beginningsOf = (words: string): string | null =>
  words === '' ? null : words.replaceAll(' ', ':* & ') + ':*';

export const hasWords = 'name_words @@ $11::tsquery';
/** `email_key` follows the order of bytes, in which U+10FFFF is the last character. */
export const hasBeginning = `email_key >= $8::text collate "C" and email_key < ($8::text || U&'\\+10FFFF') collate "C"`;

/** The time of its creation is in the ID of a contact. */
export const inPeriod = 'id > $6::uuid and id < $7::uuid';

/** The ID of the last change of a contact. Contacts have an index of it. */
export const changeKey = 'coalesce(change_id, id)';

/** As `nameKey` of the contracts. Contacts have an index of it. */
export const nameKeyOf = (name: string, id: string): string =>
  `(lower(left(${name}, ${sortedChars}) collate "C") || E'\\t' || ${id}::text)`;

/** The time of its last change is in its ID. */
export const inChanges = `${changeKey} > $14::uuid and ${changeKey} < $15::uuid`;

/** `$2` has the key of the address and the ID in another system. */
export const emailOfFilter = '($2::text[])[1]';
export const externalIdOfFilter = '($2::text[])[2]';

/** Whether a contact matches all conditions except `q`. */
export const matchesOthers = `(
  ($2::text[] is null or (
    (${emailOfFilter} is null or email_key = ${emailOfFilter} collate "C")
    and (${externalIdOfFilter} is null or external_id = ${externalIdOfFilter} collate "C")
  ))
  and ($3::jsonb is null or tags @> $3::jsonb)
  and ($4::jsonb is null or properties @> $4::jsonb)
  and ($12::jsonpath is null or tags @@ $12::jsonpath)
  and ($13::jsonpath is null or properties @@ $13::jsonpath)
  and ($5::text is null or status = $5::text)
  and ${inPeriod} and ${inChanges})`;

/** Whether a contact matches all conditions. */
export const matches = `(${matchesOthers}
  and ($8::text is null or (${hasBeginning}) or ($10::text is not null and strpos(email_key, $9::text) > 0) or ${hasWords}))`;
