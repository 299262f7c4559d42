import { isLate, Json, type Answer, type Call } from '@roster/bus';
import {
  contactOperation,
  Fault,
  fieldErrors,
  invalidFields,
  type ContactOperation,
  type InputOf,
  type Operations,
} from '@roster/contracts';
import { each, Pauses, type Session, type SessionHandler } from '@roster/storage';
import { auditLog, type ContactsService } from '../../service.js';
import { AuditAllowance } from '../../writing/audit-allowance.js';
import { batchFault, isRefusal, resultOf } from '../../writing/batch-result.js';
import { batchWriters, sliceMax, type BatchWriters } from '../../writing/batch-writers.js';
import { createWatermark } from '../../writing/watermark.js';
import { lockContacts } from '../../writing/lock-contacts.js';
import { roundsOf } from '../../writing/rounds.js';

type BatchContacts = Operations['contacts.batch'];
type BatchCall = Call<InputOf<BatchContacts>>;

/**
 * Applies the operations of a batch in one transaction. Those of one contact are applied in order, and all others of one kind in
 * slices, by a few statements each, with pauses between them. A refused operation changes nothing; if the batch is atomic, it
 * refuses the batch. Any other failure rolls back all of the batch.
 */
export function batchContacts(service: ContactsService): SessionHandler<BatchContacts> {
  const writers = batchWriters(service);
  const pauses = new Pauses(service.bus.callers);
  const allowance = new AuditAllowance();
  return each<BatchContacts>(async (call, session) => {
    const operations = call.input.operations.map(parsed);
    if (operations.some((operation) => 'email' in operation)) await createWatermark(service, call);
    return session.transaction((inner) =>
      applyBatch({ service, writers, pauses, allowance }, call, operations, inner),
    );
  });
}

interface Parts {
  service: ContactsService;
  writers: BatchWriters;
  pauses: Pauses;
  allowance: AuditAllowance;
}

async function applyBatch(
  { service, writers, pauses, allowance }: Parts,
  call: BatchCall,
  operations: readonly (ContactOperation | Fault)[],
  inner: Session,
): Promise<Json> {
  const { atomic = false } = call.input;
  const answers: (Answer<object> | undefined)[] = operations.map((one) =>
    one instanceof Fault ? one : undefined,
  );
  if (atomic) refuseFirst(answers);
  const valid = [...operations.keys()].filter((index) => answers[index] === undefined);
  const apply = valid.map((index) => operations[index] as ContactOperation);
  const holders = await lockContacts(service, call, apply, inner);
  await pauses.handle(call, slicesOf(roundsOf(apply, holders), apply), async (slice) => {
    refuseLate(call);
    const inputs = slice.map((at) => apply[at]!);
    const written = await writers[inputs[0]!.action](call, inputs as never[], inner);
    for (const [n, at] of slice.entries()) answers[valid[at]!] = written[n]!;
  });
  // After an error, a transaction is rolled back even by its commit: no operation may be answered as applied.
  for (const answer of answers) if (answer instanceof Fault && !isRefusal(answer)) throw answer;
  if (atomic) refuseFirst(answers);
  refuseLate(call);
  const results = answers.map((answer, at) => resultOf(answer!, operations[at]!, at));
  const after = countsOf(results, operations);
  if (after.refused < results.length && allowance.admits(call)) {
    const { workspaceId: resourceId } = call.caller;
    await auditLog.record(inner, call, { action: 'contacts.batch_applied', resourceId, after });
    inner.afterCommit(() => allowance.took(call));
  }
  return new Json(JSON.stringify({ results }));
}

const actions = ['create', 'upsert', 'update', 'delete'] as const;

/** The operations in the order in which they are applied, each slice of one kind. */
function* slicesOf(
  rounds: readonly number[][],
  operations: readonly ContactOperation[],
): Generator<number[]> {
  for (const round of rounds)
    for (const action of actions) {
      const some = round.filter((at) => operations[at]!.action === action);
      for (let at = 0; at < some.length; at += sliceMax) yield some.slice(at, at + sliceMax);
    }
}

/** Number of IDs that the entry of the audit log contains. */
const listedIdsMax = 10;

/** What the audit log says of a batch: no data of contacts. */
function countsOf(
  results: readonly ReturnType<typeof resultOf>[],
  operations: readonly (ContactOperation | Fault)[],
) {
  const deletedIds: (string | undefined)[] = [];
  const counts = { created: 0, updated: 0, deleted: 0, refused: 0 };
  for (const [at, result] of results.entries()) {
    const operation = operations[at]!;
    if ('problem' in result) counts.refused += 1;
    else if (result.status === 201) counts.created += 1;
    else if ('action' in operation && operation.action === 'delete') deletedIds.push(result.id);
    else counts.updated += 1;
  }
  counts.deleted = deletedIds.length;
  return { ...counts, deletedIds: deletedIds.slice(0, listedIdsMax) };
}

function parsed(operation: unknown): ContactOperation | Fault {
  const { success, data, error } = contactOperation.safeParse(operation);
  return success ? data : invalidFields(fieldErrors(error.issues));
}

/** @throws Fault the first refusal, if there is one */
function refuseFirst(answers: readonly (Answer<object> | undefined)[]): void {
  const first = answers.findIndex((answer) => answer instanceof Fault);
  if (first >= 0) throw batchFault(answers[first] as Fault, first);
}

/** @throws Fault `unavailable` shortly before the deadline: the transaction is then rolled back, and the outcome known */
function refuseLate(call: BatchCall): void {
  if (isLate(call))
    throw new Fault('unavailable', 'The batch was not finished in time. Send fewer operations.');
}
