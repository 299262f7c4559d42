import { faultOf, isolateFailures, type Answer, type Call } from '@roster/bus';
import {
  emailKey,
  encodeId,
  Fault,
  invalidFields,
  uuidOf,
  type InputOf,
  type Operations,
  type OutputOf,
  type Reference,
} from '@roster/contracts';
import type { Session, SessionHandler } from '@roster/storage';
import { withCreated } from './batch-result.js';
import { creationOf } from './creation-of.js';
import { findByEmail, findByExternalId } from './find-contacts-by.js';
import type { ContactsService } from '../service.js';
import type { UpdateOfNamed } from './update-contacts.js';
import { workspaceLocked } from './watermark.js';

type UpsertContact = Operations['contacts.upsert'];
type UpsertCall = Call<InputOf<UpsertContact>>;
type UpsertAnswer = Answer<OutputOf<UpsertContact>>;

/** The handlers of the two operations that an upsert consists of. */
export interface Writers {
  create: SessionHandler<Operations['contacts.create']>;
  update: SessionHandler<Operations['contacts.update']>;
}

/**
 * Maximum number of attempts. An attempt fails only if another call creates, deletes or renames the contact between two
 * statements.
 */
const triesMax = 10;

/**
 * Updates the contacts that have the external IDs of the calls, or else their email addresses, and creates the others. A contact is
 * created only if no other has its name, and updated only as long as it has it: if that changes between the look-up and the write,
 * the write changes nothing, and the call is attempted again.
 */
export async function upsertContacts(
  { database }: ContactsService,
  writers: Writers,
  calls: UpsertCall[],
  session: Session,
): Promise<UpsertAnswer[]> {
  const answers: (UpsertAnswer | undefined)[] = calls.map(() => undefined);
  const open = () => [...calls.keys()].filter((index) => answers[index] === undefined);
  // An attempt handles one call of each contact at least.
  for (let tries = 0; open().length > 0 && tries < triesMax + calls.length; tries += 1) {
    const some = open();
    const given = await upsertOnce(
      session === database ? isolated(writers) : writers,
      some.map((index) => calls[index]!),
      session,
    );
    for (const [at, index] of some.entries()) answers[index] = given[at];
  }
  return answers.map((answer) => answer ?? workspaceLocked);
}

/** Outside of a transaction, each write is handled separately, because batches that are committed cannot be rolled back. */
const isolated = ({ create, update }: Writers): Writers => ({
  create: (calls, session) => isolateFailures(calls, (some) => create(some, session), faultOf),
  update: (calls, session) => isolateFailures(calls, (some) => update(some, session), faultOf),
});

/** Undefined for the calls whose contact was created, deleted or renamed meanwhile. */
async function upsertOnce(
  { create, update }: Writers,
  calls: UpsertCall[],
  session: Session,
): Promise<(UpsertAnswer | undefined)[]> {
  const found = await findNamed(calls, session);
  const answers: (UpsertAnswer | undefined)[] = calls.map(({ input }, index) =>
    found[index] === undefined ? refusalOfNew(input) : undefined,
  );
  const ids = new Set<string>();
  const {
    existing = [],
    missing = [],
    later: _,
  } = Object.groupBy(calls.keys(), (index) => {
    const contact = found[index];
    if (answers[index]) return 'later';
    if (contact === undefined) return 'missing';
    // A statement changes a contact once.
    if (ids.has(contact.id)) return 'later';
    ids.add(contact.id);
    return 'existing';
  });

  const updates = existing.map((index) => updateOf(calls[index]!, found[index]!));
  const updated = updates.length > 0 ? await update(updates, session) : [];
  for (const [at, index] of existing.entries()) {
    const isTakenMeanwhile =
      found[index]!.of.emailKey !== undefined && isFault(updated[at]!, 'conflict');
    if (!isTakenMeanwhile && !isFault(updated[at]!, 'not_found'))
      answers[index] = withCreated(updated[at]!, false);
  }
  if (missing.length === 0) return answers;
  const created = await create(
    missing.map((index) => {
      const { id: _, createdAt: __, ...fields } = calls[index]!.input;
      return { ...calls[index]!, input: creationOf(fields) };
    }),
    session,
  );
  for (const [at, index] of missing.entries())
    if (!isFault(created[at]!, 'conflict')) answers[index] = withCreated(created[at]!, true);
  return answers;
}

interface Found {
  id: string;
  /** What it was found by. */
  of: Reference;
  /** Whether it has the address of the call already. */
  hasEmail: boolean;
}

/** The contact that an upsert concerns: the one with its external ID, or else with its address. */
async function findNamed(
  calls: readonly UpsertCall[],
  session: Session,
): Promise<(Found | undefined)[]> {
  const named = calls.map(({ caller, input: { email, externalId } }) => ({
    workspaceId: uuidOf('workspace', caller.workspaceId),
    emailKey: email === undefined ? undefined : emailKey(email),
    externalId: externalId ?? undefined,
  }));
  const byEmail = await findByEmail(session, named);
  const byExternalId = await findByExternalId(session, named);
  return named.map(({ emailKey: key, externalId }, index) => {
    const [own, addressed] = [byExternalId[index], byEmail[index]];
    if (own !== undefined)
      return { id: own, of: { externalId: externalId! }, hasEmail: own === addressed };
    return addressed === undefined
      ? undefined
      : { id: addressed, of: { emailKey: key! }, hasEmail: true };
  });
}

/** Of an upsert that names no contact. */
export const addressRequired = invalidFields([
  { pointer: '/email', message: 'is required, because no contact has this externalId' },
]);

/** Fields that only an existing contact has, and those that a new one must have. */
function refusalOfNew({ id, createdAt, email }: InputOf<UpsertContact>): Fault | undefined {
  const given = Object.entries({ id, createdAt }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return email === undefined ? addressRequired : undefined;
  const missing = email === undefined ? 'external ID' : 'email address';
  return invalidFields(
    given.map(([name]) => ({
      pointer: `/${name}`,
      message: `cannot be chosen: omit it, because no contact has this ${missing}`,
    })),
  );
}

/** What names the contact is not changed. A contact that is found by another spelling of its address keeps its own. */
function updateOf(call: UpsertCall, { id, of, hasEmail }: Found): Call<UpdateOfNamed> {
  const { email, externalId, ...changes } = call.input;
  const contactId = encodeId('contact', id);
  return {
    ...call,
    input: {
      contactId,
      ...changes,
      ...(!hasEmail && email !== undefined && { email }),
      ...(of.externalId === undefined && externalId !== undefined && { externalId }),
      of,
    },
  };
}

const isFault = (answer: Answer<object>, code: Fault['code']): boolean =>
  answer instanceof Fault && answer.code === code;
