import { emailKey, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import { firstIdAt, lastIdAt } from '@roster/process';
import { beginning, end } from './page.js';

export type FindInput = InputOf<Operations['contacts.find']>;

/** Conditions of a filter, as statements distinguish them. */
export type Condition =
  | 'email'
  | 'tags'
  | 'properties'
  | 'subscribed'
  | 'unsubscribed'
  | 'created'
  | 'q';

export function conditionsOf(input: FindInput): Condition[] {
  const { email, tag, property, status, createdAfter, createdBefore, q } = input;
  const given: Record<Condition, boolean> = {
    email: email !== undefined,
    tags: (tag ?? []).length > 0,
    properties: Object.keys(property ?? {}).length > 0,
    subscribed: status === 'subscribed',
    unsubscribed: status === 'unsubscribed',
    created: createdAfter !== undefined || createdBefore !== undefined,
    q: q !== undefined,
  };
  return (Object.keys(given) as Condition[]).filter((condition) => given[condition]);
}

/**
 * The values of `$1` to `$11`: null for conditions that are not part of the filter. The IDs of a period are between `$6` and `$7`, or
 * between `beginning` and `end`.
 */
export function conditionValues(workspaceId: string, input: FindInput): unknown[] {
  const { email, tag, property, status, createdAfter, createdBefore } = input;
  const q = input.q?.trim();
  return [
    uuidOf('workspace', workspaceId),
    email === undefined ? null : emailKey(email),
    tag?.length ? JSON.stringify(tag) : null,
    property && Object.keys(property).length > 0 ? JSON.stringify(property) : null,
    status ?? null,
    createdAfter === undefined ? beginning : lastIdAt(Date.parse(createdAfter)),
    createdBefore === undefined ? end : firstIdAt(Date.parse(createdBefore)),
    q === undefined ? null : emailKey(q),
    q === undefined ? null : emailKey(q) + lastCharacter,
    q === undefined ? null : `'${q.replaceAll('\\', '\\\\').replaceAll("'", "''")}':*`,
    q?.match(/[\p{L}\p{N}]+/u)?.[0] ?? null,
  ];
}

/** Follows every character of an email address in the order of bytes. */
const lastCharacter = '\u{10ffff}';

/** Words of names in the index `contacts_search`. */
export const nameWords = `to_tsvector('simple', name)`;
export const qWords = `to_tsquery('simple', $10::text)`;
export const qEmails = `email_key >= $8::text collate "C" and email_key < $9::text collate "C"`;

/** The time of its creation is in the ID of a contact. */
export const inPeriod = 'id > $6::uuid and id < $7::uuid';

/** Whether a contact matches all conditions except `q`. */
export const matchesOthers = `(
  ($2::text is null or email_key = $2::text collate "C")
  and ($3::jsonb is null or tags @> $3::jsonb)
  and ($4::jsonb is null or properties @> $4::jsonb)
  and ($5::text is null or status = $5::text)
  and ${inPeriod})`;

/**
 * Whether a contact matches all conditions. Names are only divided into words if they contain the beginning of the text, which
 * costs a tenth.
 */
export const matches = `(${matchesOthers}
  and ($8::text is null or (${qEmails})
    or (($11::text is null or strpos(lower(name), lower($11::text)) > 0) and ${nameWords} @@ ${qWords})))`;
