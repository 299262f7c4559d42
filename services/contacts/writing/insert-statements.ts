import { lockKey, type Statement } from '@roster/storage';
import { announcing } from './announce-change.js';
import { schema } from '../service.js';

export const selectWatermarks: Statement = {
  name: 'contacts.watermarks',
  text: `select last_id from contacts.watermarks where workspace_id = any ($1::uuid[])`,
};

/** The parts of the statement that concern Idempotency-Keys. */
const withoutKeys = {
  suffix: '',
  values: '',
  names: '',
  columns: '',
  free: '',
  source: 'input',
  isFree: 'true',
  remembered: '',
};

/**
 * A call is skipped if another transaction has locked its key, or if the key is stored, in any form that the key of its credential
 * may have or by another one in the form that this statement would store. The response of a contact is stored.
 */
const withKeys: typeof withoutKeys = {
  suffix: '-with-keys',
  values: ', $13::text[], $14::text[], $15::uuid[], $16::text[], $17::bytea[], $18::text[]',
  names: 'sent_key, key, user_id, credential, input_sha256, answer, ',
  columns: `,
        case when key is null then true
          else ${lockKey(schema, 'i')} and not exists (
            select from contacts.idempotency_keys k
            where k.workspace_id = i.workspace_id and k.key in (i.sent_key, i.user_id || ' ' || i.sent_key, i.credential || ' ' || i.sent_key)
              and (k.key = i.key or coalesce(k.credential = i.credential, k.user_id = i.user_id, true)))
        end as is_free`,
  free: `, free as (
      select * from input where is_free
    )`,
  source: 'free',
  isFree: 'is_free',
  remembered: `, remembered as (
      insert into contacts.idempotency_keys (workspace_id, key, user_id, credential, operation, input_sha256, answer)
      select workspace_id, key, user_id, credential, 'contacts.create', input_sha256, answer
      from input join inserted using (workspace_id, id) where key is not null order by workspace_id, key
    )`,
};

const announced = (bytesMax: string | undefined): string =>
  announcing(
    '(select workspace_id, event_id, body, details from input join inserted using (workspace_id, id)) created',
    `'CONTACT_CREATED'`,
    bytesMax,
  );

/**
 * Inserts contacts and their events, atomically per workspace. A workspace whose watermark exceeds the first ID of the batch
 * is skipped. Emails that are taken are skipped.
 *
 * @param locked relation of the workspaces of `span` that are skipped as well
 * @param events the part that writes events, or nothing
 */
const insertExcept = (
  name: string,
  locked: string,
  events: string,
  keys: typeof withoutKeys,
): Statement => ({
  name: name + keys.suffix,
  text: `
    with input as (
      select *${keys.columns} from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[],
        $9::uuid[], $10::text[], $11::text[], $12::text[]${keys.values}) with ordinality
        as i (workspace_id, id, email, email_key, name, tags, properties, event_id, body, status, details, ${keys.names}n)
    )${keys.free}, span as (
      select workspace_id, (array_agg(id order by id))[1] as first_id, (array_agg(id order by id desc))[1] as last_id
      from ${keys.source} group by workspace_id
    ), ${locked}, admitted as (
      insert into contacts.watermarks as w (workspace_id, last_id)
      select workspace_id, last_id from span
      where workspace_id not in (select workspace_id from locked) order by workspace_id
      on conflict (workspace_id) do update set last_id = excluded.last_id
        where w.last_id < (select first_id from span s where s.workspace_id = excluded.workspace_id)
      returning workspace_id
    ), inserted as (
      insert into contacts.contacts (workspace_id, id, email, email_key, name, tags, properties, status, created_at)
      select workspace_id, id, email, email_key, name, tags, properties, status, $8::timestamptz
      from ${keys.source} join admitted using (workspace_id) order by n
      on conflict (workspace_id, email_key) do nothing
      returning workspace_id, id
    )${events}${keys.remembered}
    select i.id, ${keys.isFree} as free, l.workspace_id is not null as locked,
      a.workspace_id is not null as admitted, done.id is not null as inserted
    from input i
      left join locked l using (workspace_id)
      left join admitted a using (workspace_id)
      left join inserted done using (workspace_id, id)`,
});

const insertInto = (name: string, locked: string, events = announced) => ({
  plain: insertExcept(name, locked, events(undefined), withoutKeys),
  withKeys: insertExcept(name, locked, events(undefined), withKeys),
  plainTogether: insertExcept(name, locked, events('$13'), withoutKeys),
  withKeysTogether: insertExcept(name, locked, events('$19'), withKeys),
});

const noneLocked = 'locked as (select workspace_id from span where false)';

/** How creations proceed in workspaces with a locked watermark, and the statements for batches without and with keys. */
export const insertStatements = {
  /** Does not wait: workspaces with a locked watermark are skipped. */
  unlocked: insertInto(
    'contacts.create',
    `
    unlocked as (
      select workspace_id from contacts.watermarks
      where workspace_id in (select workspace_id from span) order by workspace_id for update skip locked
    ), locked as (
      select workspace_id from contacts.watermarks
      where workspace_id in (select workspace_id from span)
        and workspace_id not in (select workspace_id from unlocked)
    )`,
  ),
  /** Waits for locked workspaces, so that its creations follow those in flight. */
  inTurn: insertInto('contacts.create-in-turn', noneLocked),
  /** As `inTurn`, without events. */
  inTurnQuietly: insertInto('contacts.create-in-turn-quietly', noneLocked, () => ''),
};
