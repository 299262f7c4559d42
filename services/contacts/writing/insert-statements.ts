import { linesOf, lockKey, type Statement } from '@roster/storage';
import { announcing } from './announce-change.js';
import { isSuppressed } from './suppression.js';
import { schema } from '../service.js';

export const selectWatermarks: Statement = {
  name: 'contacts.watermarks',
  text: `select last_id from contacts.watermarks where workspace_id = any ($1::uuid[])`,
};

/** What became of a call, as a letter of the result. */
export const outcomes = {
  /** The Idempotency-Key is in use or stored. */
  keyInUse: 'k',
  /** Another transaction has locked the workspace. */
  locked: 'l',
  inserted: 'i',
  /** Not inserted, because its address is suppressed, and the contact should be subscribed. */
  suppressed: 's',
  /** The email or the external ID is taken. */
  conflict: 'c',
  /** The watermark of the workspace exceeds the first ID of the batch. */
  late: 'a',
};

/** The parts of the statement that concern external IDs, which most creations do not have. */
const withoutExternalIds = {
  suffix: '',
  values: '',
  names: '',
  columns: '',
  taken: '(workspace_id, email_key)',
};

/** @param parameter with an external ID, or null, for each call */
const withExternalIds = (parameter: string): typeof withoutExternalIds => ({
  suffix: '-with-external-ids',
  values: `, ${linesOf(parameter)}`,
  names: 'external_id, ',
  columns: ', external_id',
  // By any index.
  taken: '',
});

/** In a condition: without `coalesce`, the planner makes a join of it. */
const isInserted = 'coalesce(id in (select id from inserted), false)';

/** In a workspace with suppressions. */
const isRefused = `(status = 'subscribed' and ${isSuppressed('workspace_id', 'email_key')})`;

/** The parts of the statement that concern Idempotency-Keys. */
const withoutKeys = {
  suffix: '',
  values: '',
  names: '',
  columns: ', true as is_free',
  remembered: '',
};

/**
 * A call is skipped if another transaction has locked its key, or if the key is stored, in any form that the key of its credential
 * may have or by another one in the form that this statement would store. The response of a contact is stored.
 */
const withKeys: typeof withoutKeys = {
  suffix: '-with-keys',
  values: ', $17::text[], $18::text[], $19::uuid[], $20::text[], $21::bytea[], $22::text[]',
  names: 'sent_key, key, user_id, credential, input_sha256, answer, ',
  columns: `,
        case when key is null then true
          else ${lockKey(schema, 'i')} and not exists (
            select from contacts.idempotency_keys k
            where k.workspace_id = i.workspace_id and k.key in (i.sent_key, i.user_id || ' ' || i.sent_key, i.credential || ' ' || i.sent_key)
              and (k.key = i.key or coalesce(k.credential = i.credential, k.user_id = i.user_id, true)))
        end as is_free`,
  remembered: `, remembered as (
      insert into contacts.idempotency_keys (workspace_id, key, user_id, credential, operation, input_sha256, answer)
      select workspace_id, key, user_id, credential, 'contacts.create', input_sha256, answer
      from input where key is not null and ${isInserted} order by workspace_id, key
    )`,
};

/**
 * Inserts contacts and their events, atomically per workspace. A workspace whose watermark exceeds the first ID of the batch
 * is skipped. Emails and external IDs that are taken are skipped. The result has a letter of `outcomes` for each call, in order.
 *
 * Parts of the statement find each other's rows by hashed subplans (`in`) and not by joins, which would be nested loops.
 *
 * @param skipped relation of the workspaces that are skipped as well, if there is one
 * @param events the part that writes events, or nothing
 */
const insertExcept = (
  name: string,
  { part, skipped }: typeof noneSkipped,
  events: string,
  keys: typeof withoutKeys,
  own = withoutExternalIds,
): Statement => ({
  name: name + keys.suffix + own.suffix,
  text: `
    with input as (
      select *${keys.columns} from unnest($1::uuid[], $2::uuid[], ${linesOf('$3')}, ${linesOf('$4')}, $5::text[],
        ${linesOf('$6')}::jsonb[], ${linesOf('$7')}::jsonb[], ${linesOf('$8')}::timestamptz[], $9::uuid[], ${linesOf('$10')},
        ${linesOf('$11')}, ${linesOf('$12')}, ${linesOf('$16')}${keys.values}${own.values}) with ordinality
        as i (workspace_id, id, email, email_key, name, tags, properties, created_at, event_id, body, status, details, name_words, ${keys.names}${own.names}n)
    )${part}, admitted as (
      insert into contacts.watermarks as w (workspace_id, last_id)
      select workspace_id, $15::uuid from unnest($13::uuid[]) as s (workspace_id)
      where ${skipped === undefined ? 'true' : `workspace_id not in (select workspace_id from ${skipped})`} order by workspace_id
      on conflict (workspace_id) do update set last_id = excluded.last_id where w.last_id < $14::uuid
      returning workspace_id, has_suppressions
    ), inserted as (
      insert into contacts.contacts (workspace_id, id, email, email_key, name, name_words, tags, properties, status, created_at${own.columns})
      select workspace_id, id, email, email_key, name, name_words::tsvector, tags, properties, status, created_at${own.columns}
      from input where is_free and case
        when workspace_id in (select workspace_id from admitted where not has_suppressions) then true
        when workspace_id in (select workspace_id from admitted) then not ${isRefused}
        else false
      end order by n
      on conflict ${own.taken} do nothing
      returning id
    )${events}${keys.remembered}
    select string_agg(case
        when not is_free then '${outcomes.keyInUse}'
        ${skipped === undefined ? '' : `when workspace_id in (select workspace_id from ${skipped}) then '${outcomes.locked}'`}
        when id in (select id from inserted) then '${outcomes.inserted}'
        when workspace_id in (select workspace_id from admitted where has_suppressions) and ${isRefused} then '${outcomes.suppressed}'
        when workspace_id in (select workspace_id from admitted) then '${outcomes.conflict}'
        else '${outcomes.late}'
      end, '' order by n) as outcomes
    from input`,
});

const announced = (traces: string, bytesMax?: string): string =>
  announcing(
    `(select * from input where ${isInserted}) created`,
    `'CONTACT_CREATED'`,
    traces,
    bytesMax,
  );

const noneSkipped = { part: '', skipped: undefined as string | undefined };

/** Workspaces with a watermark that another transaction has locked. */
const lockedSkipped: typeof noneSkipped = {
  part: `, unlocked as (
      select workspace_id from contacts.watermarks
      where workspace_id = any ($13::uuid[]) order by workspace_id for update skip locked
    ), locked as (
      select workspace_id from contacts.watermarks
      where workspace_id = any (array(
        select workspace_id from unnest($13::uuid[]) as s (workspace_id)
        where workspace_id not in (select workspace_id from unlocked)
      ))
    )`,
  skipped: 'locked',
};

/** Each also for batches with external IDs, which are its last parameter. */
const insertInto = (name: string, skipping: typeof noneSkipped) => ({
  plain: both((own) => insertExcept(name, skipping, announced('$17'), withoutKeys, own), '$18'),
  withKeys: both((own) => insertExcept(name, skipping, announced('$23'), withKeys, own), '$24'),
  plainTogether: both(
    (own) => insertExcept(name, skipping, announced('$17', '$18'), withoutKeys, own),
    '$19',
  ),
  withKeysTogether: both(
    (own) => insertExcept(name, skipping, announced('$23', '$24'), withKeys, own),
    '$25',
  ),
});

const both = (
  insert: (own: typeof withoutExternalIds) => Statement,
  parameter: string,
): { ordinary: Statement; withExternalIds: Statement } => ({
  ordinary: insert(withoutExternalIds),
  withExternalIds: insert(withExternalIds(parameter)),
});

const quietly = 'contacts.create-in-turn-quietly';

/** How creations proceed in workspaces with a locked watermark, and the statements for batches without and with keys. */
export const insertStatements = {
  /** Does not wait: workspaces with a locked watermark are skipped. */
  unlocked: insertInto('contacts.create', lockedSkipped),
  /** Waits for locked workspaces, so that its creations follow those in flight. */
  inTurn: insertInto('contacts.create-in-turn', noneSkipped),
  /** As `inTurn`, without events. */
  inTurnQuietly: {
    plain: both((own) => insertExcept(quietly, noneSkipped, '', withoutKeys, own), '$17'),
    withKeys: both((own) => insertExcept(quietly, noneSkipped, '', withKeys, own), '$23'),
  },
};
