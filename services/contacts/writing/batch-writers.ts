import type { Answer, Call } from '@roster/bus';
import { notFound, type ContactOperation, type Operations } from '@roster/contracts';
import type { Session } from '@roster/storage';
import { withCreated } from './batch-result.js';
import { resolveReferences, type NamedContact } from './by-reference.js';
import { withDefinitions } from './definitions/with-definitions.js';
import { deleteContacts } from './delete-contacts.js';
import { createContacts } from './insert-contacts.js';
import type { ContactsService } from '../service.js';
import { resubscribing } from './resubscribing.js';
import { updateContacts } from './update-contacts.js';
import { upsertContacts } from './upsert-contacts.js';

type Action = ContactOperation['action'];
type OperationOf<A extends Action> = Extract<ContactOperation, { action: A }>;

/** Maximum number of operations in one statement. Calls of other workspaces wait for a slice, not for all of a batch. */
export const sliceMax = 50;

/** Applies operations of one kind, which concern different contacts, in the transaction of their batch. */
export type BatchWriters = {
  [A in Action]: (
    call: Call,
    operations: readonly OperationOf<A>[],
    inner: Session,
  ) => Promise<Answer<object>[]>;
};

/**
 * @param isQuiet whether creations and updates cause no events
 * @param isImport whether they are those of an import, which is recorded in the audit log as a whole
 * @param isText whether values of properties are texts, as in a file of CSV
 */
export function batchWriters(
  service: ContactsService,
  options: { isQuiet?: boolean; isImport?: boolean; isText?: boolean } = {},
): BatchWriters {
  const { isQuiet = false, isText = false } = options;
  // Without the queue of other creations: they may wait for the watermark, which the transaction has locked.
  const creating = withDefinitions<Operations['contacts.create']>(
    service,
    (calls, inner) => createContacts(service, calls, inner, isQuiet ? 'inTurnQuietly' : 'inTurn'),
    isText,
  );
  const create = resubscribing(service, creating, options);
  const updating = withDefinitions<Operations['contacts.update']>(
    service,
    (calls, inner) => updateContacts(service, calls, inner, isQuiet),
    isText,
  );
  const update = resubscribing(service, updating, options);
  return {
    create: async (call, operations, inner) =>
      (await create(callsOf(call, operations), inner)).map((answer) => withCreated(answer, true)),
    upsert: (call, operations, inner) =>
      upsertContacts(service, { create, update }, callsOf(call, operations), inner),
    update: (call, operations, inner) =>
      ofNamed(callsOf(call, operations.map(withContactId)), inner, (calls) => update(calls, inner)),
    delete: (call, operations, inner) =>
      ofNamed(callsOf(call, operations.map(withContactId)), inner, (calls) =>
        deleteContacts(service, calls, inner),
      ),
  };
}

/** The operations as calls of their own. The handlers read no `action`. */
const callsOf = <Input>(call: Call, inputs: readonly Input[]): Call<Input>[] =>
  inputs.map((input) => ({ ...call, input }));

const withContactId = <Operation extends { id: string }>({ id, ...operation }: Operation) => ({
  ...operation,
  contactId: id,
});

/** Contacts are looked up when their operation is applied: an earlier one of the batch may have changed an address. */
async function ofNamed<Input extends NamedContact>(
  calls: readonly Call<Input>[],
  inner: Session,
  write: (calls: Call<Input>[]) => Promise<Answer<object>[]>,
): Promise<Answer<object>[]> {
  const resolved = await resolveReferences(inner, calls);
  const found = resolved.filter((call) => call !== undefined);
  const written = (found.length > 0 ? await write(found) : []).values();
  return resolved.map((call) => (call ? written.next().value! : notFound('contact')));
}
