import { Json, type Answer, type Call } from '@roster/bus';
import {
  Fault,
  InsufficientScope,
  invalidFields,
  operations,
  requirePermission,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { partsApart, type Session, type SessionHandler } from '@roster/storage';
import { auditLog, type ContactsService } from '../service.js';
import { changeSubscriptions } from './change-subscriptions.js';

type WriteContact = Operations['contacts.create'] | Operations['contacts.update'];
type Answers<O extends WriteContact> = Answer<OutputOf<O>>[];

interface Options {
  isQuiet?: boolean;
  /** Whether the rights to it were checked, and it was recorded in the audit log, with the import. */
  isImport?: boolean;
}

/**
 * Writes contacts, and subscribes those whose call has `resubscribe` and that are unsubscribed then, in the same transaction: it is a
 * change of its own with its own event, which ends the suppression of the address. Batches without such calls are handled as before.
 */
export function resubscribing<O extends WriteContact>(
  service: ContactsService,
  write: SessionHandler<O>,
  { isQuiet = false, isImport = false }: Options = {},
): SessionHandler<O> {
  const handle: SessionHandler<O> = async (calls, session) => {
    if (!calls.some(isResubscription)) return write(calls, session);
    const refusals = calls.map((call) => refusalOf(call, isImport));
    const admitted = calls.filter((_, at) => !refusals[at]);
    if (admitted.length === 0) return refusals as Fault[];
    const answers = await session.transaction(async (inner) => {
      const written = await write(admitted, inner);
      return subscribe(admitted, written, inner);
    });
    const given = answers.values();
    return refusals.map((refusal) => refusal ?? given.next().value!);
  };
  /** Those calls are parts of their own: one that is refused by the audit log is rolled back. */
  const partsOf = (calls: readonly Call<InputOf<O>>[]): number[][] | undefined =>
    partsApart(calls, isResubscription, write.partsOf);
  return Object.assign(handle, { partsOf });

  async function subscribe(
    calls: readonly Call<InputOf<O>>[],
    written: Answers<O>,
    inner: Session,
  ): Promise<Answers<O>> {
    const wanted = calls.flatMap((call, at) => {
      const contactId = isResubscription(call) && unsubscribedIdOf(written[at]!);
      return contactId ? [{ at, call: { ...call, input: { contactId } } }] : [];
    });
    if (wanted.length === 0) return written;
    const changes = wanted.map(({ call }) => call);
    const changed = await changeSubscriptions(service, changes, inner, 'subscribed', isQuiet);
    if (!isImport) {
      const entries = changes.map((call) => [call, entryOf(call.input)] as const);
      // Beyond the limit of a day, nothing is changed.
      for (const refusal of await auditLog.recordAll(inner, entries)) if (refusal) throw refusal;
    }
    const answers: Answers<O> = [...written];
    // Without notices, which were about the status.
    for (const [n, { at }] of wanted.entries()) answers[at] = changed[n] as Answers<O>[number];
    return answers;
  }
}

/** Whether a call has a second write: it is handled separately from those that have not. */
export const isResubscription = ({ input }: { input: { resubscribe?: boolean | undefined } }) =>
  input.resubscribe === true;

function refusalOf(call: Call<InputOf<WriteContact>>, isImport: boolean): Fault | undefined {
  if (!isResubscription(call)) return undefined;
  if (call.input.status === 'unsubscribed') return contradictory;
  return isImport ? undefined : permissionRefusal(call);
}

const contradictory = invalidFields([
  { pointer: '/resubscribe', message: 'cannot be true with the status unsubscribed' },
]);

function permissionRefusal({ caller }: Call): Fault | undefined {
  try {
    requirePermission(caller, operations['contacts.resubscribe']);
    return undefined;
  } catch (error) {
    if (error instanceof InsufficientScope) return error;
    throw error;
  }
}

function unsubscribedIdOf(answer: Answer<object>): string | undefined {
  if (answer instanceof Fault) return undefined;
  const { contact } = JSON.parse(Json.textOf(answer)) as OutputOf<WriteContact>;
  return contact.status === 'unsubscribed' ? contact.id : undefined;
}

const entryOf = ({ contactId: resourceId }: { contactId: string }) => ({
  action: 'contact.resubscribed' as const,
  resourceId,
  before: { status: 'unsubscribed' },
  after: { status: 'subscribed' },
});
