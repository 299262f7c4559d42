import { Json, type Answer, type Call } from '@roster/bus';
import {
  contactLimits,
  emailKey,
  type Fault,
  type FieldError,
  type InputOf,
  invalidFields,
  nameWords,
  notFound,
  type Operations,
  type OutputOf,
  tagsMax,
  timeOfId,
  uuidOf,
} from '@roster/contracts';
import {
  lines,
  linesOf,
  tracesOf,
  uuids,
  violatedUnique,
  type Session,
  type Statement,
} from '@roster/storage';
import {
  announceChanges,
  announcing,
  eventBody,
  eventDetails,
  eventHead,
  rowBytes,
  type AnnouncedRow,
} from './announce-change.js';
import { changeIdOf, contactColumns, contactJson, type ContactRow } from '../reading/contact.js';
import { isStill, referenceText, type NamedContact } from './by-reference.js';
import { emailTaken, externalIdTaken, findByEmail, findByExternalId } from './find-contacts-by.js';
import { noticesJson } from './notices.js';
import { changedStatus, kindOfChange, statusNotices } from './change-status.js';
import { sizeOf, sizeRefusal, tagsRefusal } from './contact-size.js';
import type { ContactsService } from '../service.js';
import { changeInstantOf, nextChangeId, takingTurns } from './turns.js';

type UpdateContact = Operations['contacts.update'];
/** An update that applies to the contact only as long as it has what it was named by. */
export type UpdateOfNamed = InputOf<UpdateContact> & NamedContact;
type UpdateCall = Call<UpdateOfNamed>;
type Answers = Answer<OutputOf<UpdateContact>>[];

/**
 * Updates different contacts by one statement, and one after another only if one of them takes an address or an external ID that
 * another contact has.
 *
 * @param isQuiet causes no events
 */
export async function updateContacts(
  service: ContactsService,
  calls: UpdateCall[],
  session: Session,
  isQuiet = false,
): Promise<Answers> {
  if (calls.every(({ input }) => input.email === undefined && input.externalId === undefined))
    return writeUpdates(service, calls, session, isQuiet);
  try {
    return await session.transaction((inner) => writeUpdates(service, calls, inner, isQuiet));
  } catch (error) {
    const violated = violatedUnique(error);
    if (violated !== 'contacts_email' && violated !== 'contacts_external_id') throw error;
    const [call, ...others] = calls;
    if (others.length === 0)
      return [
        await { contacts_email: addressTaken, contacts_external_id: ownIdTaken }[violated](
          call!,
          session,
        ),
      ];
    const answers: Answers = [];
    for (const one of calls)
      answers.push(...(await updateContacts(service, [one], session, isQuiet)));
    return answers;
  }
}

async function addressTaken({ caller, input }: UpdateCall, session: Session): Promise<Fault> {
  const workspaceId = uuidOf('workspace', caller.workspaceId);
  const [existing] = await findByEmail(session, [
    { workspaceId, emailKey: emailKey(input.email!) },
  ]);
  return emailTaken(existing);
}

async function ownIdTaken({ caller, input }: UpdateCall, session: Session): Promise<Fault> {
  const workspaceId = uuidOf('workspace', caller.workspaceId);
  const [existing] = await findByExternalId(session, [
    { workspaceId, externalId: input.externalId },
  ]);
  return externalIdTaken(existing);
}

interface UpdatedRow extends ContactRow, AnnouncedRow {
  n: number;
  /** Number of properties and bytes that the contact would have; null unless they exceed a limit. */
  refused: [properties: number, bytes: number] | null;
  was_status: string;
  /** Number of tags that the contact would have; null unless it exceeds the limit. */
  refused_tags: number | null;
}

async function writeUpdates(
  service: ContactsService,
  calls: UpdateCall[],
  session: Session,
  isQuiet: boolean,
): Promise<Answers> {
  const now = new Date();
  const changes = calls.map(({ caller, input }) => {
    const id = uuidOf('contact', input.contactId);
    return {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id,
      input,
      ...propertyChanges(input),
      event: eventHead(service.ids, 'CONTACT_UPDATED', id, now),
    };
  });
  const workspaceIds = changes.map(({ workspaceId }) => workspaceId);
  const bytesMax = isQuiet ? undefined : rowBytes(service, workspaceIds);
  const statement = isQuiet ? updateQuietly : bytesMax === undefined ? update : updateTogether;
  const rows = await session.query<UpdatedRow>(statement, [
    uuids(workspaceIds),
    uuids(changes.map(({ id }) => id)),
    lines(changes.map(({ input }) => input.email)),
    lines(changes.map(({ input }) => input.email && emailKey(input.email))),
    changes.map(({ input }) => input.name ?? null),
    lines(changes.map(({ input }) => input.tags && JSON.stringify(input.tags))),
    lines(changes.map(({ set }) => set)),
    lines(changes.map(({ removed }) => removed)),
    uuids(changes.map(({ event }) => event.id)),
    lines(changes.map(({ event }) => event.head)),
    contactLimits.properties,
    contactLimits.bytes,
    lines(changes.map(({ input }) => input.status)),
    changes.map(({ input }) => hasId(input) && hasTime(input)),
    lines(changes.map(({ input }) => referenceText(input.of))),
    // With a space: an empty line is NULL.
    lines(
      changes.map(({ input }) => (input.name === undefined ? null : ` ${nameWords(input.name)}`)),
    ),
    lines(changes.map(({ event }) => event.instant)),
    lines(changes.map(({ input }) => tagChanges(input))),
    // With a sign in front: an empty line is NULL, which leaves it as it is.
    lines(
      changes.map(({ input }) =>
        input.externalId === undefined ? null : `=${input.externalId ?? ''}`,
      ),
    ),
    ...(isQuiet
      ? []
      : [
          tracesOf(
            changes.map(({ event }) => event.id),
            calls,
          ),
        ]),
    ...(bytesMax === undefined ? [] : [bytesMax]),
  ]);
  announceChanges(service, session, 'CONTACT_UPDATED', rows, calls, bytesMax);
  const found = new Map(rows.map((row) => [row.n, row]));
  return calls.map(({ input }, index) => {
    const row = found.get(index + 1);
    if (!row) return notFound('contact');
    const differing = differingFields(input);
    if (differing.length > 0) return invalidFields(differing);
    if (row.refused_tags) return tagsRefusal(row.refused_tags);
    return row.refused
      ? sizeRefusal(row, ...row.refused, input.addTags)
      : new Json(`{"contact":${contactJson(row)}${noticesJson(statusNotices(input, row))}}`);
  });
}

/** The properties to set, in a text of JSON, and the names of those to remove, in a text of an array. */
function propertyChanges({ properties = {} }: InputOf<UpdateContact>) {
  const entries = Object.entries(properties);
  if (entries.length === 0) return { set: undefined, removed: undefined };
  const removed = entries.flatMap(([name, value]) => (value === null ? name : []));
  const set = entries.filter(([, value]) => value !== null);
  return {
    set: JSON.stringify(Object.fromEntries(set)),
    // In quotes: one may be named null.
    removed: `{${removed.map((name) => `"${name}"`).join(',')}}`,
  };
}

/** The tags to add and those to remove, in a text of JSON. */
const tagChanges = ({ addTags, removeTags }: InputOf<UpdateContact>): string | undefined =>
  addTags || removeTags ? JSON.stringify([addTags ?? [], removeTags ?? []]) : undefined;

/** Fields of an update that cannot be changed by it, and that do not have their stored values. */
function differingFields(input: InputOf<UpdateContact>): FieldError[] {
  const errors: FieldError[] = [];
  if (!hasId(input))
    errors.push({
      pointer: '/id',
      message: 'cannot be changed: omit it, or send the stored value',
    });
  if (!hasTime(input))
    errors.push({
      pointer: '/createdAt',
      message: 'cannot be changed: omit it, or send the stored value',
    });
  return errors;
}

const hasId = ({ contactId, id = contactId }: InputOf<UpdateContact>): boolean => id === contactId;

/** Until 0.4.0: 0.2.0 showed the time of its clock, which differs from that of the ID by milliseconds, or as clocks do. */
const formerDifferenceMs = 60_000;

const hasTime = ({ contactId, createdAt }: InputOf<UpdateContact>): boolean =>
  createdAt === undefined ||
  Math.abs(Date.parse(createdAt) - timeOfId(uuidOf('contact', contactId))) <= formerDifferenceMs;

/** Tags and properties of at most this size, in the text of the database, exceed no limit. A property has nine bytes at least. */
const smallBytes = 9 * contactLimits.properties;

/** The tags of a contact after an update, in their order: those that are added follow the others. */
const changedTags = (input: string, stored: string): string => `
  case when ${input}.tag_changes is null then coalesce(${input}.tags, ${stored}.tags)
    else ${stored}.tags - array(select jsonb_array_elements_text(${input}.tag_changes -> 1))
      || (${input}.tag_changes -> 0) - array(select jsonb_array_elements_text(${stored}.tags))
  end`;

/** The former values of the changed fields, in a text of JSON. A property that the contact did not have is null. */
const previous = `
  '{' || concat_ws(',',
    case when w.name <> w.was_name then '"name":' || to_json(w.was_name)::text end,
    case when w.new_tags <> w.was_tags then '"tags":' || w.was_tags::text end,
    case when w.email <> w.was_email then '"email":' || to_json(w.was_email)::text end,
    case when w.status <> w.was_status then '"status":"' || w.was_status || '"' end,
    case when w.external_id is distinct from w.was_external_id
      then '"externalId":' || coalesce(to_json(w.was_external_id)::text, 'null') end,
    case when w.new_properties <> w.was_properties then (
      select '"properties":' || jsonb_object_agg(name, w.was_properties -> name)::text
      from (select jsonb_object_keys(w.set) union all select unnest(w.removed::text[])) named (name)
      where w.new_properties -> name is distinct from w.was_properties -> name
    ) end
  ) || '}'`;

/**
 * Takes the turns of the workspaces, locks the contacts in the order of their keys, computes their new state, and writes those that differ, unless they exceed a
 * limit, or the call has other values of read-only fields (see `differingFields`). The tags and properties of a contact that
 * exceeds a limit from before it existed may be reduced. What is written is decided before the write, of locked rows: no later
 * part needs a join.
 *
 * @param isQuiet whether it writes no events
 * @param bytesMax the parameter with the result of `rowBytes`
 */
const updateWith = (name: string, isQuiet: boolean, bytesMax?: string): Statement => ({
  name,
  text: `
    with input as (
      select * from unnest($1::uuid[], $2::uuid[], ${linesOf('$3')}, ${linesOf('$4')}, $5::text[],
        ${linesOf('$6')}::jsonb[], ${linesOf('$7')}::jsonb[], ${linesOf('$8')}, $9::uuid[], ${linesOf('$10')},
        ${linesOf('$13')}, $14::boolean[], ${linesOf('$15')}, ${linesOf('$16')}, ${linesOf('$17')}, ${linesOf('$18')}::jsonb[], ${linesOf('$19')}) with ordinality
        as i (workspace_id, id, email, email_key, name, tags, set, removed, event_id, head, status, same_id_and_time,
          reference, name_words, instant, tag_changes, external_id, n)
    ), ${takingTurns('$9')}, before as (
      select i.n, i.event_id, i.instant, i.head, i.set, i.removed, c.workspace_id, c.id, c.status as was_status, ${changedStatus('i', 'c')} as status,
        c.email as was_email, c.name as was_name, c.tags as was_tags, c.properties as was_properties, c.external_id as was_external_id,
        coalesce(i.email, c.email) as email, coalesce(i.email_key, c.email_key) as email_key,
        coalesce(i.name, c.name) as name,
        coalesce(i.name_words::tsvector, c.name_words) as name_words,
        ${changedTags('i', 'c')} as new_tags,
        case when i.external_id is null then c.external_id else nullif(substr(i.external_id, 2), '') end as external_id,
        case when i.set is null then c.properties else (c.properties || i.set) - i.removed::text[] end as new_properties,
        i.same_id_and_time as as_stored,
        ${changeIdOf('c')} as was_change_id, c.version as was_version, ${nextChangeId('$9', 'i', 't')} as next_change_id
      from input i join turns t using (workspace_id) join contacts.contacts c using (workspace_id, id)
      where ${isStill('i', 'c')}
      order by c.workspace_id, c.id for update of c
    ), wanted as (
      select b.*, texts.*, refused, refused is null and refused_tags is null and as_stored
        and (b.email, b.name, new_tags, new_properties, b.status, b.external_id)
          is distinct from (was_email, was_name, was_tags, was_properties, was_status, was_external_id) as is_written
      from before b,
        lateral (
          select new_tags::text as tags, new_properties::text as properties,
            nullif(greatest(jsonb_array_length(new_tags), ${tagsMax}), ${tagsMax}) as refused_tags
          offset 0
        ) texts,
        lateral (
          select case when octet_length(texts.tags) + octet_length(texts.properties) > ${smallBytes} then (
            select now[1:2] from (
              select ${sizeOf('now')} as now, ${sizeOf('was')} as was
              from (select b.email, b.name, new_tags as tags, new_properties as properties, was_status as status) now,
                (select was_email as email, was_name as name, was_tags as tags, was_properties as properties, was_status as status) was
              offset 0
            ) s
            where (now[1] > $11::int and now[1] > was[1])
              or (now[2] > $12::int and (was[2] <= $12 or now[3] > was[3]))
          ) end as refused
          offset 0
        ) size
    ), written as (
      update contacts.contacts c
      set email = w.email, email_key = w.email_key, name = w.name, name_words = w.name_words,
        tags = w.new_tags, properties = w.new_properties, status = w.status, change_id = w.next_change_id, version = w.was_version + 1, external_id = w.external_id
      from wanted w
      where c.workspace_id = w.workspace_id and c.id = w.id and w.is_written
    )${isQuiet ? '' : announced(bytesMax)}
    select n::int, workspace_id, ${contactColumns('w')}, was_status, refused, refused_tags, ${isQuiet ? noEvent : 'event_id, body, details, kind'}
    from ${isQuiet ? results : 'announcements'} w`,
});

const results = `(
      select *, ${kindOfChange('wanted')} as kind, was_version + is_written::int as version,
        case when is_written then next_change_id else was_change_id end as change_id
      from wanted
    )`;

const announced = (bytesMax: string | undefined) => `, announcements as (
      select n, workspace_id, id, email, name, tags, properties, status, was_status, change_id, version, external_id, refused, refused_tags, kind,
        case when is_written then event_id end as event_id,
        case when is_written then ${eventBody(`replace(w.head, 'CONTACT_UPDATED', kind)`, 'w')} end as body,
        case when is_written then ${eventDetails('w', previous, 'w.status', changeInstantOf('w'))} end as details
      from ${results} w
    )${announcing('(select * from announcements where event_id is not null) written', undefined, '$20', bytesMax)}`;

const noEvent =
  'null::uuid as event_id, null::text as body, null::text as details, null::text as kind';

const update = updateWith('contacts.update', false);
const updateTogether = updateWith('contacts.update', false, '$21');
const updateQuietly = updateWith('contacts.update-quietly', true);
