import { faultOf, Json, type Answer } from '@roster/bus';
import {
  contactLimits,
  emailKey,
  nameWords,
  uuidOf,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import {
  keyInUse,
  keyStoredMeanwhile,
  lines,
  rowsOf,
  uuids,
  type OutboxRow,
  type RecordedCall,
  type Session,
  type Statement,
  tracedBy,
  tracesOf,
} from '@roster/storage';
import { changeJson, contactHead, createdAtOf } from '../reading/contact.js';
import { rowBytes } from './announce-change.js';
import { changeBytes, sizeRefusal } from './contact-size.js';
import { emailTaken, externalIdTaken, findByEmail, findByExternalId } from './find-contacts-by.js';
import { insertStatements, outcomes, selectWatermarks } from './insert-statements.js';
import { jsonbText } from './jsonb-text.js';
import { noticesJson } from './notices.js';
import { refusalsByQuota } from './quotas.js';
import type { ContactsService } from '../service.js';
import { suppressedNotice } from './suppression.js';
import { workspaceLocked } from './watermark.js';

type CreateContact = Operations['contacts.create'];
type Answers = Answer<OutputOf<CreateContact>>[];

interface Creation {
  call: RecordedCall<InputOf<CreateContact>>;
  index: number;
  workspaceId: string;
  /** Whether an attempt has found the address suppressed: the contact is unsubscribed. */
  isSuppressed?: boolean;
}

/**
 * Maximum number of attempts of one batch. An attempt fails only if another process creates a contact in the workspace
 * meanwhile, and once for addresses that are suppressed.
 */
const triesMax = 20;

/**
 * Creates contacts of any workspaces, atomically per workspace and attempt. Throws only if nothing was changed. The results of
 * calls with a record are stored.
 *
 * @param order `unlocked` skips workspaces that are locked, `inTurn` waits for them, `inTurnQuietly` causes no events
 */
export async function createContacts(
  service: ContactsService,
  calls: RecordedCall<InputOf<CreateContact>>[],
  session: Session,
  order: keyof typeof insertStatements,
): Promise<Answers> {
  const answers: Answers = Array.from({ length: calls.length });
  let open: Creation[] = calls.map((call, index) => ({
    call,
    index,
    workspaceId: uuidOf('workspace', call.caller.workspaceId),
  }));
  const refusals = await refusalsByQuota(service, column(open, 'workspaceId'), session);
  if (refusals) {
    for (const [index, refusal] of refusals.entries()) if (refusal) answers[index] = refusal;
    open = open.filter(({ index }) => refusals[index] === undefined);
  }
  for (let tries = 0; open.length > 0; tries += 1) {
    if (tries === triesMax) {
      for (const { index } of open) answers[index] = workspaceLocked;
      break;
    }
    try {
      open = await undoable(service, open, session, (inner) =>
        insertContacts(service, open, answers, inner, order),
      );
    } catch (error) {
      // By a process that committed between the snapshot and the lock of the statement. The next attempt skips the call.
      if (keyStoredMeanwhile(error)) continue;
      // Refusals, such as of contacts that are too large, changed nothing.
      if (!answers.some((answer) => answer instanceof Json)) throw error;
      const unanswered = open.filter(({ index }) => answers[index] === undefined);
      // Other workspaces are committed. If this threw, the batch would run again, and its contacts would conflict with
      // themselves.
      for (const { index } of unanswered) answers[index] = faultOf(error);
      break;
    }
  }
  return answers;
}

/** In a transaction, a statement that fails because a key was stored meanwhile must be rolled back before the next attempt. */
const undoable = <T>(
  { database }: ContactsService,
  creations: readonly Creation[],
  session: Session,
  insert: (inner: Session) => Promise<T>,
): Promise<T> =>
  session !== database && creations.some(({ call }) => call.record)
    ? session.transaction(insert)
    : insert(session);

/** Inserts and answers as many calls as possible. Returns the calls to attempt again. */
async function insertContacts(
  { outbox, ids }: ContactsService,
  all: Creation[],
  answers: Answers,
  session: Session,
  order: keyof typeof insertStatements,
): Promise<Creation[]> {
  const rows: Row[] = [];
  for (const creation of all) {
    const row = rowOf(creation, ids);
    const bytes =
      Buffer.byteLength(row.json) -
      uncountedBytes -
      spacesOf(creation.call.input) -
      bytesOf(row.externalId);
    // The status that it did not ask for is not counted.
    if (creation.isSuppressed || bytes <= contactLimits.bytes) rows.push(row);
    else answers[row.index] = sizeRefusal(row, 0, bytes);
  }
  if (rows.length === 0) return [];
  const hasKeys = rows.some(({ call }) => call.record);
  const hasExternalIds = rows.some(({ externalId }) => externalId !== null);
  const workspaceIds = column(rows, 'workspaceId');
  const bytesMax = order === 'inTurnQuietly' ? undefined : rowBytes({ outbox }, workspaceIds);
  const [result] = await session.query<{ outcomes: string }>(
    statementOf(order, hasKeys, bytesMax !== undefined)[
      hasExternalIds ? 'withExternalIds' : 'ordinary'
    ],
    [
      uuids(workspaceIds),
      uuids(column(rows, 'id')),
      lines(column(rows, 'email')),
      lines(column(rows, 'emailKey')),
      column(rows, 'name'),
      lines(column(rows, 'tags')),
      lines(column(rows, 'properties')),
      lines(column(rows, 'createdAt')),
      uuids(column(rows, 'eventId')),
      lines(column(rows, 'body')),
      lines(column(rows, 'status')),
      lines(column(rows, 'details')),
      uuids([...new Set(workspaceIds)]),
      rows[0]!.id,
      rows.at(-1)!.id,
      lines(column(rows, 'nameWords')),
      ...(hasKeys ? keyValues(rows) : []),
      ...(order === 'inTurnQuietly'
        ? []
        : [
            tracesOf(
              column(rows, 'eventId'),
              rows.map(({ call }) => call),
            ),
          ]),
      ...(bytesMax === undefined ? [] : [bytesMax]),
      ...(hasExternalIds ? [lines(column(rows, 'externalId'))] : []),
    ],
  );
  const announced: OutboxRow[] = [];
  const conflicts: Creation[] = [];
  const late: Creation[] = [];
  const suppressed: Creation[] = [];
  for (const [at, row] of rows.entries()) {
    const outcome = result!.outcomes[at];
    if (outcome === outcomes.inserted) {
      answers[row.index] = new Json(row.json);
      const { eventId, workspaceId, body, details } = row;
      const event = { id: eventId, workspaceId, kind: 'CONTACT_CREATED', body, details } as const;
      announced.push({ ...event, ...tracedBy(row.call) });
    } else if (outcome === outcomes.keyInUse) {
      answers[row.index] = keyInUse;
    } else if (outcome === outcomes.locked) {
      answers[row.index] = workspaceLocked;
    } else if (outcome === outcomes.suppressed) {
      suppressed.push({ ...row, isSuppressed: true });
    } else {
      (outcome === outcomes.conflict ? conflicts : late).push(row);
    }
  }
  if (order !== 'inTurnQuietly')
    session.afterCommit(() => outbox.publish(rowsOf(announced, bytesMax ?? 1)));
  if (late.length > 0) await catchUp(ids, late, session);
  return [...late, ...suppressed, ...(await answerConflicts(conflicts, answers, session))];
}

function statementOf(
  order: keyof typeof insertStatements,
  hasKeys: boolean,
  isTogether: boolean,
): { ordinary: Statement; withExternalIds: Statement } {
  const keys = hasKeys ? 'withKeys' : 'plain';
  if (order === 'inTurnQuietly') return insertStatements[order][keys];
  return insertStatements[order][isTogether ? (`${keys}Together` as const) : keys];
}

/** Bytes of an answer that are not part of the contact's size. */
const uncountedBytes = '{"contact":}'.length + changeBytes;

/** Bytes of an external ID that `uncountedBytes` do not contain. */
const bytesOf = (externalId: string | null): number =>
  externalId === null ? 0 : Buffer.byteLength(JSON.stringify(externalId)) - 'null'.length;

/** The number of spaces after colons and commas of the database, which are not counted. */
const spacesOf = ({ tags, properties }: InputOf<CreateContact>): number =>
  Math.max(tags.length - 1, 0) + Math.max(2 * Object.keys(properties).length - 1, 0);

const column = <Of extends object, Name extends keyof Of>(
  rows: readonly Of[],
  name: Name,
): Of[Name][] => rows.map((row) => row[name]);

type Row = ReturnType<typeof rowOf>;

function rowOf(creation: Creation, ids: ContactsService['ids']) {
  const { email, name, ...input } = creation.call.input;
  const { isSuppressed = false } = creation;
  const status = isSuppressed ? 'unsubscribed' : (input.status ?? 'subscribed');
  const id = ids.next();
  const createdAt = createdAtOf(id);
  const tags = jsonbText(input.tags);
  const properties = jsonbText(input.properties);
  const head = contactHead(id, email, JSON.stringify(name), createdAt);
  const externalId = input.externalId ?? null;
  const change = changeJson({ change_id: id, version: 1 }, JSON.stringify(externalId));
  const rest = `"tags":${tags},"properties":${properties},"status":"${status}"${change}}`;
  return {
    ...creation,
    id,
    createdAt,
    email,
    emailKey: emailKey(email),
    name,
    /** With a space: an empty line would be NULL. */
    nameWords: ` ${nameWords(name)}`,
    tags,
    properties,
    status,
    externalId,
    eventId: ids.next(),
    /** Webhooks receive it. */
    body: `{"event":"CONTACT_CREATED","created_at":"${createdAt}","data":{"contact":${head}}}}`,
    details: `{"contact":{${rest}}`,
    json: `{"contact":${head},${rest}${noticesJson(isSuppressed ? [suppressedNotice] : [])}}`,
  };
}

const keyValues = (rows: readonly Row[]) => [
  rows.map(({ call }) => call.record && call.idempotencyKey),
  rows.map(({ call }) => call.record?.key),
  rows.map(({ call }) => call.record?.userId),
  rows.map(({ call }) => call.record?.credential),
  rows.map(({ call }) => call.record?.inputHash),
  rows.map(({ call, json }) => (call.record ? json : null)),
];

/** Another process has assigned greater IDs meanwhile: the next ones must follow them. */
async function catchUp(
  ids: ContactsService['ids'],
  late: Creation[],
  session: Session,
): Promise<void> {
  const workspaceIds = [...new Set(late.map(({ workspaceId }) => workspaceId))];
  const marks = await session.query<{ last_id: string }>(selectWatermarks, [workspaceIds]);
  for (const { last_id } of marks) ids.after(last_id);
}

/**
 * Answers a conflict with the ID of the contact that has the email or the external ID. If that contact was deleted meanwhile, the
 * call is attempted again.
 */
async function answerConflicts(
  conflicts: Creation[],
  answers: Answers,
  session: Session,
): Promise<Creation[]> {
  if (conflicts.length === 0) return [];
  const wanted = conflicts.map(({ workspaceId, call }) => ({
    workspaceId,
    emailKey: emailKey(call.input.email),
    externalId: call.input.externalId,
  }));
  const byEmail = await findByEmail(session, wanted);
  const byExternalId = await findByExternalId(session, wanted);
  return conflicts.filter(({ index }, at) => {
    if (byEmail[at] !== undefined) answers[index] = emailTaken(byEmail[at]);
    else if (byExternalId[at] !== undefined) answers[index] = externalIdTaken(byExternalId[at]);
    else return true;
    return false;
  });
}
