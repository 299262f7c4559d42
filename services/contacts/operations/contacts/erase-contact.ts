import type { Call } from '@roster/bus';
import {
  emailKey,
  encodeId,
  erasedContact,
  erasuresActiveMax,
  Fault,
  nothingKnown,
  notFound,
  uuidOf,
  withValues,
  type InputOf,
  type KnownValues,
  type Operations,
} from '@roster/contracts';
import {
  each,
  makeEvent,
  tracedBy,
  type OutboxRow,
  type Session,
  type SessionHandler,
  type Statement,
} from '@roster/storage';
import { erasureColumns, erasureShape, type ErasureRecord } from '../../erasures/erasure-shape.js';
import { storedTraceOf } from '../../jobs/job-trace.js';
import { createdAtOf } from '../../reading/contact.js';
import { auditLog, type ContactsService } from '../../service.js';
import { byReference, referenceText, type NamedContact } from '../../writing/by-reference.js';
import { takingTurns } from '../../writing/turns.js';

type EraseContact = Operations['contacts.erase'];

/**
 * Deletes the contact, and creates the job that erases the rest, in one transaction: no later write finds the contact. An erasure
 * that exists is returned, unless an address is given, which is searched for too. A contact that was deleted before is known by the
 * entry of the audit log, or by an address that the caller gives.
 */
export const eraseContact = (service: ContactsService): SessionHandler<EraseContact> =>
  byReference(
    service,
    each<EraseContact>((call, session) =>
      session.transaction(async (inner) => ({
        erasure: erasureShape(await beginErasure(service, call, inner)),
      })),
    ),
  );

async function beginErasure(
  service: ContactsService,
  call: Call<NamedContact & Pick<InputOf<EraseContact>, 'email'>>,
  inner: Session,
): Promise<ErasureRecord> {
  const { ids, outbox, jobs } = service;
  const { contactId, of, email } = call.input;
  const [workspaceId, id] = [
    uuidOf('workspace', call.caller.workspaceId),
    uuidOf('contact', contactId),
  ];
  const event = erasedEvent(ids, workspaceId, id);
  const [gone] = await inner.query<GoneRow>(remove, [
    ...[[workspaceId], id, [event.id], referenceText(of) ?? null],
  ]);
  let known = withValues(nothingKnown, { emails: namesOf(email), others: [] });
  if (gone) known = withValues(known, valuesOf(gone));
  else {
    const [former] = await inner.query<FormerRow>(email === undefined ? find : findLocked, [
      ...[workspaceId, id],
    ]);
    if (former && email === undefined) return former;
    if (former?.known) known = withValues(known, JSON.parse(former.known) as KnownValues);
    if (of) throw notFound('contact');
    if (email === undefined) {
      const [deleted] = await inner.query(findDeletion, [workspaceId, id, contactId]);
      if (!deleted) throw notFound('contact');
    }
  }
  const [record] = await inner.query<ErasureRecord>(insertErasure, [
    ...[workspaceId, ids.next(), id, gone?.hash ?? null],
    JSON.stringify(known),
    storedTraceOf(call),
  ]);
  const [active] = await inner.query<{ active: number }>(countActive, [workspaceId]);
  if (active!.active > erasuresActiveMax) throw tooMany;
  await auditLog.record(inner, call, { action: 'contact.erased', resourceId: contactId });
  await outbox.add(inner, [{ ...event, ...tracedBy(call) }]);
  inner.afterCommit(() => jobs.wake());
  return record!;
}

/** Of the end of the contact, with nothing of it but its ID. Without details: webhooks with any filter receive it. */
function erasedEvent(ids: ContactsService['ids'], workspaceId: string, id: string): OutboxRow {
  const contact = erasedContact(encodeId('contact', id), createdAtOf(id));
  return makeEvent(ids, workspaceId, 'CONTACT_DELETED', { contact, erased: true });
}

/** An address as it is written, and as it is compared. */
const namesOf = (email: string | undefined): string[] =>
  email === undefined ? [] : [email, emailKey(email)];

const valuesOf = ({ email, email_key, name, external_id }: GoneRow): KnownValues =>
  withValues(nothingKnown, { emails: [email, email_key], others: [name, external_id ?? ''] });

const tooMany = new Fault(
  'limit_reached',
  `A workspace can have at most ${erasuresActiveMax} erasures that have not ended.`,
);

interface FormerRow extends ErasureRecord {
  known: string | null;
}

interface GoneRow {
  email: string;
  email_key: string;
  name: string;
  external_id: string | null;
  hash: Buffer;
}

/** Takes the turn of the workspace, as every write of its contacts. */
const remove: Statement = {
  name: 'contacts.erase',
  text: `
    with ${takingTurns('$3')}, gone as (
      select c.* from turns join contacts.contacts c using (workspace_id)
      where c.id = $2 and ($4::text is null
        or $4 in ('email:' || c.email_key, concat('externalId:', c.external_id)))
      for update of c
    ), deleted as (
      delete from contacts.contacts c using gone g where c.workspace_id = g.workspace_id and c.id = g.id
    )
    select email, email_key, name, external_id, contacts.suppression_hash(workspace_id, email_key) as hash from gone`,
};

const ofContact = `
    select ${erasureColumns('e')}, e.known from contacts.erasures e where e.workspace_id = $1 and e.contact_id = $2`;

const find: Statement = { name: 'erasures.of-contact', text: ofContact };

/** Waits until a slice is done, which may find values of the contact. */
const findLocked: Statement = { name: 'erasures.lock', text: `${ofContact} for update` };

/** The entry is younger than the contact, whose ID has its time. */
const findDeletion: Statement = {
  name: 'erasures.find-deletion',
  text: `
    select from contacts.audit_log
    where workspace_id = $1 and id > $2 and resource_id = $3 and action = 'contact.deleted' limit 1`,
};

/** One that has ended begins again: the contact was restored. */
export const insertErasure: Statement = {
  name: 'erasures.insert',
  text: `
    insert into contacts.erasures as e (workspace_id, id, contact_id, address_hash, known, status, step, trace)
    values ($1, $2, $3, $4, $5, 'queued', 'events', $6)
    on conflict (workspace_id, contact_id) do update
      set status = 'queued', step = 'events', known = excluded.known,
        address_hash = coalesce(excluded.address_hash, e.address_hash),
        position = null, until = null, pending = null, reached = null, next_at = now(), ended_at = null, trace = excluded.trace
    returning ${erasureColumns('e')}`,
};

const countActive: Statement = {
  name: 'erasures.count-active',
  text: `
    select count(*)::int as active from contacts.erasures
    where workspace_id = $1 and status in ('queued', 'running')`,
};
