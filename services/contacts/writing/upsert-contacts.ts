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
} from '@roster/contracts';
import type { Session, SessionHandler } from '@roster/storage';
import { withCreated } from './batch-result.js';
import { creationOf } from './creation-of.js';
import { findByEmail } from './find-by-email.js';
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
 * Updates the contacts that have the email addresses of the calls, and creates the others. A contact is created only if no other
 * has its address, and updated only as long as it has it: if that changes between the look-up and the write, the write changes
 * nothing, and the call is attempted again. No two calls have the same address.
 */
export async function upsertContacts(
  { database }: ContactsService,
  writers: Writers,
  calls: UpsertCall[],
  session: Session,
): Promise<UpsertAnswer[]> {
  const answers: (UpsertAnswer | undefined)[] = calls.map(() => undefined);
  const open = () => [...calls.keys()].filter((index) => answers[index] === undefined);
  for (let tries = 0; open().length > 0 && tries < triesMax; tries += 1) {
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
  const found = await findByEmail(
    session,
    calls.map(({ caller, input }) => ({
      workspaceId: uuidOf('workspace', caller.workspaceId),
      emailKey: emailKey(input.email),
    })),
  );
  const answers: (UpsertAnswer | undefined)[] = calls.map((_, index) =>
    found[index] === undefined ? refusalOfNew(calls[index]!.input) : undefined,
  );
  const {
    existing = [],
    missing = [],
    refused: _,
  } = Object.groupBy(calls.keys(), (index) => {
    if (answers[index]) return 'refused';
    return found[index] === undefined ? 'missing' : 'existing';
  });

  const updates = existing.map((index) => updateOf(calls[index]!, found[index]!));
  const updated = updates.length > 0 ? await update(updates, session) : [];
  for (const [at, index] of existing.entries())
    if (!isFault(updated[at]!, 'not_found')) answers[index] = withCreated(updated[at]!, false);
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

/** Fields that only an existing contact has. */
function refusalOfNew({ id, createdAt }: InputOf<UpsertContact>): Fault | undefined {
  const given = Object.entries({ id, createdAt }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  return invalidFields(
    given.map(([name]) => ({
      pointer: `/${name}`,
      message: 'cannot be chosen: omit it, because no contact has this email address',
    })),
  );
}

function updateOf(call: UpsertCall, contactId: string): Call<UpdateOfNamed> {
  const { email, ...changes } = call.input;
  const of = { emailKey: emailKey(email) };
  return { ...call, input: { contactId: encodeId('contact', contactId), ...changes, of } };
}

const isFault = (answer: Answer<object>, code: Fault['code']): boolean =>
  answer instanceof Fault && answer.code === code;
