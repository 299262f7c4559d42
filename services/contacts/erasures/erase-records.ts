import { encodeId, redactedJson, type KnownValues } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import type { ClaimedErasure } from './erasure-table.js';

/**
 * Whether an import or an action that is older than the erasure has not ended, or has rows left: it still needs what is to be erased,
 * and the event of its end can name it.
 */
export async function isInUse(
  { workspace_id, created_at }: ClaimedErasure,
  inner: Session,
): Promise<boolean> {
  return (await inner.query(selectUsed, [workspace_id, created_at])).length > 0;
}

/** Empties what else contains something of the contact, and returns the number of records. */
export async function eraseRecords(erasure: ClaimedErasure, inner: Session): Promise<number> {
  const { workspace_id: workspaceId, contact_id, created_at } = erasure;
  const known = JSON.parse(erasure.known) as KnownValues;
  const contactId = encodeId('contact', contact_id);
  const emails = known.emails.map((email) => email.toLowerCase());
  const answers = await inner.query(emptyAnswers, [
    ...[workspaceId, contactId, emails],
    known.others.map((other) => JSON.stringify(other.toLowerCase())),
  ]);
  const texts = await inner.query(emptyImportErrors, [workspaceId, created_at]);
  const imports = await inner.query(emptyImports, [workspaceId, emails]);
  const actions = await eraseActions(workspaceId, known, inner);
  return answers.length + texts.length + imports.length + actions;
}

/** Filters and changes of actions can contain addresses. */
async function eraseActions(
  workspaceId: string,
  known: KnownValues,
  inner: Session,
): Promise<number> {
  const actions = await inner.query<ActionTexts>(selectActions, [workspaceId]);
  const changed = actions.flatMap(({ id, ...texts }) => {
    const [filter, change, failures] = [texts.filter, texts.change, texts.failures].map((text) =>
      redactedJson(text, known),
    );
    const isSame =
      filter === texts.filter && change === texts.change && failures === texts.failures;
    return isSame ? [] : [{ id, filter, change, failures }];
  });
  await inner.query(updateActions, [
    workspaceId,
    changed.map(({ id }) => id),
    changed.map(({ filter }) => filter),
    changed.map(({ change }) => change),
    changed.map(({ failures }) => failures),
  ]);
  return changed.length;
}

interface ActionTexts {
  id: string;
  filter: string;
  change: string;
  failures: string;
}

const selectUsed: Statement = {
  name: 'erasures.find-used',
  text: `
    (select 1 from contacts.imports
     where workspace_id = $1 and created_at <= $2 and (status in ('uploading', 'queued', 'running') or bytes > 0) limit 1)
    union all
    (select 1 from contacts.actions
     where workspace_id = $1 and created_at <= $2 and status in ('queued', 'running') limit 1)`,
};

/**
 * A request with the key of an emptied response is answered as one with another input, because its hash is another one. It is never
 * applied again. The response to the erasure has only IDs.
 */
const emptyAnswers: Statement = {
  name: 'erasures.empty-answers',
  text: `
    update contacts.idempotency_keys set answer = '', input_sha256 = ''
    where workspace_id = $1 and answer <> '' and operation <> 'contacts.erase' and (position($2 in answer) > 0
      or exists (select from unnest($3::text[]) email where position(email in lower(answer)) > 0)
      or operation = 'contact-actions.create'
        and exists (select from unnest($4::text[]) other where position(other in lower(answer)) > 0))
    returning 1`,
};

/** Nothing connects the text of a cell to a contact: those of all imports before the erasure are removed. */
const emptyImportErrors: Statement = {
  name: 'erasures.empty-import-errors',
  text: `
    update contacts.import_errors e set text = null
    from contacts.imports i
    where i.workspace_id = $1 and i.created_at <= $2 and i.ended_at is not null and (i.failed > 0 or i.notices > 0)
      and e.workspace_id = i.workspace_id and e.import_id = i.id and e.text is not null
    returning 1`,
};

/** The first line of a file without names of columns is a contact. */
const emptyImports: Statement = {
  name: 'erasures.empty-imports',
  text: `
    update contacts.imports set header = null, file_name = null
    where workspace_id = $1 and ended_at is not null and exists (
      select from unnest($2::text[]) email where position(email in lower(concat(header, ' ', file_name))) > 0
    )
    returning 1`,
};

const selectActions: Statement = {
  name: 'erasures.select-actions',
  text: `
    select id, filter, change, failures from contacts.actions
    where workspace_id = $1 and ended_at is not null order by id for update`,
};

const updateActions: Statement = {
  name: 'erasures.update-actions',
  text: `
    update contacts.actions a set filter = i.filter, change = i.change, failures = i.failures
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as i (id, filter, change, failures)
    where a.workspace_id = $1 and a.id = i.id`,
};
