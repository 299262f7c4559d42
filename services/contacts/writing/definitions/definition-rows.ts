import { Contended } from '@roster/bus';
import { contactPropertiesMax, Fault, type ContactPropertyType } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import type { Session, Statement } from '@roster/storage';
import { workspaceLocked } from '../watermark.js';

/** Definitions of a workspace. No other transaction adds any until this one ends. */
export interface LockedDefinitions {
  total: number;
  /** The defined names that equal a requested one, ignoring case. */
  found: Map<string, { id: string; type: ContactPropertyType }>;
  /** Whether no contact may add any. */
  isStrict: boolean;
}

/**
 * Serializes additions of definitions in one workspace, so that none exceeds the limit.
 *
 * @param inner a transaction
 */
export async function lockDefinitions(
  inner: Session,
  workspaceId: string,
  names: readonly string[],
): Promise<LockedDefinitions> {
  try {
    await inner.query(lock, [workspaceId]);
  } catch (error) {
    // All calls of a batch wait for the same lock. Handled one by one, each would wait for the full lock timeout.
    throw error instanceof Contended ? workspaceLocked : error;
  }
  // A separate statement: it sees what was committed during the wait for the lock.
  const [row] = await inner.query<LockedRow>(select, [
    workspaceId,
    names.map(caseless),
    contactPropertiesMax,
  ]);
  const { total, names: found, ids, types, strict } = row!;
  return {
    total,
    found: new Map(found.map((name, at) => [name, { id: ids[at]!, type: types[at]! }])),
    isStrict: strict,
  };
}

interface LockedRow {
  total: number;
  names: string[];
  ids: string[];
  types: ContactPropertyType[];
  strict: boolean;
}

/** Names with the same result must not be defined together. Names are ASCII. */
export const caseless = (name: string): string => name.toLowerCase();

/** Definitions of a workspace at one moment. */
export interface FoundDefinitions {
  /** The requested names that are defined, with their types. */
  types: ReadonlyMap<string, ContactPropertyType>;
  /** Number of all definitions, as far as the limit; null if all requested names are defined. */
  total: number | null;
  /** Whether no contact may define others. False if all requested names are defined. */
  isStrict: boolean;
}

/** Finds the names that are defined, by workspace. */
export async function findDefined(
  session: Session,
  wanted: readonly { workspaceId: string; name: string }[],
): Promise<Map<string, FoundDefinitions>> {
  const rows = await session.query<FoundRow>(find, [
    wanted.map(({ workspaceId }) => workspaceId),
    wanted.map(({ name }) => name),
    contactPropertiesMax,
  ]);
  return new Map(
    rows.map(({ workspace_id, types, total, strict }) => [
      workspace_id,
      { types: new Map(types.map(typeOfName)), total, isStrict: strict },
    ]),
  );
}

/** Names contain no space. */
const typeOfName = (text: string) => text.split(' ') as [name: string, type: ContactPropertyType];

interface FoundRow {
  workspace_id: string;
  /** Each a name, a space and a type. */
  types: string[];
  total: number | null;
  strict: boolean;
}

/** Defines properties as strings, with their names as labels. */
export async function insertDefinitions(
  inner: Session,
  ids: IdClock,
  workspaceId: string,
  names: readonly string[],
): Promise<void> {
  await inner.query(insert, [workspaceId, names.map(() => ids.next()), names]);
}

export const tooManyDefinitions = new Fault(
  'limit_reached',
  `A workspace can have at most ${contactPropertiesMax} contact properties.`,
);

const lock: Statement = {
  name: 'contact-properties.lock',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:contact-properties:' || $1, 0))`,
};

/** Does not count beyond the limit: workspaces may exceed it from before it existed. */
const countUpTo = (workspaceId: string, max: string): string => `
      (select count(*)::int from (
        select 1 from contacts.contact_properties where workspace_id = ${workspaceId} limit ${max}
      ) c)`;

const isStrict = (workspaceId: string): string =>
  `exists (select from contacts.settings where workspace_id = ${workspaceId} and strict_properties)`;

const select: Statement = {
  name: 'contact-properties.count',
  text: `
    select
      ${countUpTo('$1::uuid', '$3::int')} as total,
      coalesce(array_agg(name), '{}') as names, coalesce(array_agg(id), '{}') as ids, coalesce(array_agg(type), '{}') as types,
      ${isStrict('$1::uuid')} as strict
    from contacts.contact_properties where workspace_id = $1::uuid and lower(name) = any ($2::text[])`,
};

const find: Statement = {
  name: 'contact-properties.find',
  text: `
    select workspace_id, types,
      case when cardinality(types) < wanted then ${countUpTo('found.workspace_id', '$3::int')} end as total,
      cardinality(types) < wanted and ${isStrict('found.workspace_id')} as strict
    from (
      select requested.workspace_id, count(distinct requested.name) as wanted,
        coalesce(array_agg(distinct d.name || ' ' || d.type) filter (where d.name is not null), '{}') as types
      from unnest($1::uuid[], $2::text[]) as requested (workspace_id, name)
        left join contacts.contact_properties d
          on d.workspace_id = requested.workspace_id and d.name = requested.name collate "C"
      group by requested.workspace_id
    ) found`,
};

const insert: Statement = {
  name: 'contact-properties.define',
  text: `
    insert into contacts.contact_properties (workspace_id, id, name, label)
    select $1::uuid, d.id, d.name, d.name from unnest($2::uuid[], $3::text[]) as d (id, name)`,
};
