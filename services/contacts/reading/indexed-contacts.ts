import {
  emailOfFilter,
  externalIdOfFilter,
  hasBeginning,
  hasWords,
  inChanges,
  inPeriod,
  matches,
  matchesOthers,
  type Condition,
} from './conditions.js';

/** Contacts that an index finds. */
export interface IndexedContacts {
  /** At the end of the name of a statement. */
  name: string;
  /** The conditions that the index has. */
  covers: Condition[];
  /** Selects the contacts. Its limit is `$20` where an index is read to the end otherwise. */
  rows: string;
  /** Which of them match all conditions. */
  remaining: string;
}

/** Those of the most selective conditions. Undefined if no index finds the contacts that match one of them. */
export const indexedBy = (conditions: readonly Condition[]): IndexedContacts | undefined =>
  indexed.find(({ covers }) => covers.every((condition) => conditions.includes(condition)));

const inWorkspace = (condition: string): string =>
  `select * from contacts.contacts where workspace_id = $1::uuid and ${condition}`;

const withTags = 'tags @> $3::jsonb';
const withProperties = 'properties @> $4::jsonb';
const withAnyTags = 'tags @@ $12::jsonpath';
const withAnyProperties = 'properties @@ $13::jsonpath';

/**
 * Addresses and words of names are in different indexes. `union` reads all of both before its first row: without limits of their
 * own, the cost would grow with the contacts that match.
 *
 * @param addresses IDs of contacts that are found by their addresses
 */
const withText = (addresses: string): string => `
  with addressed as materialized (
    ${addresses}
  ), named as materialized (
    select id from contacts.contacts where workspace_id = $1::uuid and ${hasWords}
  )
  select c.* from (
    (select id from addressed limit $20::int) union (select id from named limit $20::int)
  ) found, lateral (select * from contacts.contacts where workspace_id = $1::uuid and id = found.id offset 0) c`;

/** Every parameter must occur. */
const withBeginning = withText(`
    select id from contacts.contacts where workspace_id = $1::uuid and ${hasBeginning} and coalesce($9::text, $10::text) is null`);
const withPart = withText(`
    select id from contacts.addresses where workspace_id = $1::uuid and address like $10::text and $8::text = $9::text`);

const valuesIn: Partial<Record<Condition, string>> = {
  tags: withTags,
  properties: withProperties,
  anyTags: withAnyTags,
  anyProperties: withAnyProperties,
};

const by = (name: string, covers: Condition[], condition: string): IndexedContacts => ({
  name,
  covers,
  rows: inWorkspace(condition),
  remaining: matches,
});

const byValues = (name: string, ...covers: Condition[]): IndexedContacts =>
  by(name, covers, covers.map((one) => valuesIn[one]).join(' and '));

/** From the most selective to the least. */
export const indexed: readonly IndexedContacts[] = [
  by('by-email', ['email'], `email_key = ${emailOfFilter} collate "C"`),
  by('by-external-id', ['externalId'], `external_id = ${externalIdOfFilter} collate "C"`),
  byValues('by-tags-and-properties', 'tags', 'properties'),
  byValues('by-tags-and-any-property', 'tags', 'anyProperties'),
  byValues('by-any-tag-and-properties', 'anyTags', 'properties'),
  byValues('by-tags', 'tags'),
  byValues('by-properties', 'properties'),
  byValues('by-any-tag-and-property', 'anyTags', 'anyProperties'),
  byValues('by-any-tag', 'anyTags'),
  byValues('by-any-property', 'anyProperties'),
  { name: 'by-part', covers: ['part'], rows: withPart, remaining: matchesOthers },
  { name: 'by-beginning', covers: ['beginning'], rows: withBeginning, remaining: matchesOthers },
  by('unsubscribed', ['unsubscribed'], `status = 'unsubscribed' and ${inPeriod}`),
  by('changed', ['changed'], inChanges),
  by('of-period', ['created'], inPeriod),
];
