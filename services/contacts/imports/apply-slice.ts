import type { Answer, Call } from '@roster/bus';
import { Fault, type Notice } from '@roster/contracts';
import type { Session } from '@roster/storage';
import { isRefusal, wasCreated } from '../writing/batch-result.js';
import { sliceMax, type BatchWriters } from '../writing/batch-writers.js';
import { creationOf } from '../writing/creation-of.js';
import { lockContacts } from '../writing/lock-contacts.js';
import { namesOf } from '../writing/names-of.js';
import { noticesOf } from '../writing/notices.js';
import { roundsOf } from '../writing/rounds.js';
import { addressRequired } from '../writing/upsert-contacts.js';
import type { ContactsService } from '../service.js';
import type { StoredRow } from './import-chunks.js';
import {
  noticed,
  problemOf,
  readRow,
  refusalOf,
  type RowContact,
  type RowError,
} from './read-row.js';

/** Number of rows by their outcome. */
export type Counts = Record<'created' | 'updated' | 'skipped' | 'failed', number>;

export interface SliceOutcome {
  counts: Counts;
  /** Number of rows with notices, which are among those that were created or updated. */
  notices: number;
  errors: RowError[];
}

interface RowOutcome {
  count: keyof Counts;
  notices?: readonly Notice[] | undefined;
}

interface Slice {
  mode: 'upsert' | 'skip';
  resubscribe: boolean;
  rows: readonly StoredRow[];
}

/** Applies contacts of different rows in a transaction that has locked them. */
type Apply = (contacts: readonly RowContact[]) => Promise<(RowOutcome | Fault)[]>;

/**
 * Applies rows in a transaction, in their order. A refused row changes nothing.
 *
 * @param call in the name of the workspace
 */
export async function applySlice(
  service: ContactsService,
  writers: BatchWriters,
  call: Call,
  { mode, resubscribe, rows }: Slice,
  inner: Session,
): Promise<SliceOutcome> {
  const errors: RowError[] = [];
  const contacts: RowContact[] = [];
  const applied: StoredRow[] = [];
  const counts: Counts = { created: 0, updated: 0, skipped: 0, failed: 0 };
  let noticedRows = 0;
  const refuse = (of: RowError[]) => {
    counts.failed += 1;
    errors.push(...of);
  };
  for (const row of rows) {
    const contact = 'problem' in row ? problemOf(row) : readRow(row);
    if (Array.isArray(contact)) refuse(contact);
    else if (contact instanceof Fault) refuse(refusalOf(row, contact));
    else {
      contacts.push({
        ...contact,
        ...(resubscribe && contact.status !== 'unsubscribed' && { resubscribe }),
      });
      applied.push(row);
    }
  }
  if (contacts.length === 0) return { counts, notices: noticedRows, errors };
  const apply = { upsert, skip }[mode](service, writers, call, inner);
  for (const [at, outcome] of (await apply(contacts)).entries()) {
    if (!(outcome instanceof Fault)) {
      counts[outcome.count] += 1;
      if (!outcome.notices) continue;
      noticedRows += 1;
      errors.push(...noticed(applied[at]!, outcome.notices));
    } else if (isRefusal(outcome)) refuse(refusalOf(applied[at]!, outcome));
    // The fault concerns no row: the slice is rolled back, and applied later.
    else throw outcome;
  }
  return { counts, notices: noticedRows, errors };
}

type Mode = (service: ContactsService, writers: BatchWriters, call: Call, inner: Session) => Apply;

const upsert: Mode = (service, writers, call, inner) => async (contacts) => {
  const operations = contacts.map((contact) => ({ action: 'upsert' as const, ...contact }));
  const holders = await lockContacts(service, call, operations, inner);
  const upsertInOrder = async (part: typeof operations) => {
    const answers: Answer<object>[] = [];
    for (const round of roundsOf(part, holders)) {
      const written = await writers.upsert(
        call,
        round.map((at) => part[at]!),
        inner,
      );
      for (const [n, at] of round.entries()) answers[at] = written[n]!;
    }
    return answers;
  };
  const known = new Set(holders.keys());
  const answers = await inParts(operations, async (part) => {
    const keys = part.flatMap(namesOf);
    const areNew =
      part.every(({ email }) => email !== undefined) &&
      new Set(keys).size === keys.length &&
      !keys.some((key) => known.has(key));
    for (const key of keys) known.add(key);
    if (!areNew) return upsertInOrder(part);
    // Without another look-up: other creations of the workspace wait for the transaction.
    const created = await writers.create(call, part.map(createOf), inner);
    // Until 0.4.0: a process of 0.2.0, which takes no turn, gave a contact the address meanwhile.
    const taken = part.filter((_, at) => isConflict(created[at]!));
    const updated = taken.length > 0 ? await upsertInOrder(taken) : [];
    return created.map((answer) => (isConflict(answer) ? updated.shift()! : answer));
  });
  return answers.map((answer) => outcomeOf(answer, 'updated'));
};

/** Existing contacts are neither locked nor changed. */
const skip: Mode = (service, writers, call, inner) => async (contacts) => {
  const operations = contacts.map((contact) => ({ action: 'upsert' as const, ...contact }));
  const holders = await lockContacts(service, call, operations, inner);
  const isHeld = (at: number) => namesOf(operations[at]!).some((name) => holders.has(name));
  const isNew = (contact: RowContact, at: number) => !isHeld(at) && contact.email !== undefined;
  const answers = await inParts(contacts.filter(isNew).map(createOf), (part) =>
    writers.create(call, part, inner),
  );
  const created = answers.values();
  const given = new Set<string | null | undefined>();
  return contacts.map(({ email, externalId }, at) => {
    if (isHeld(at)) return skipped;
    if (email === undefined) return given.has(externalId) ? skipped : addressRequired;
    const answer = created.next().value!;
    if (isConflict(answer)) return skipped;
    if (!(answer instanceof Fault)) given.add(externalId);
    return outcomeOf(answer, 'created');
  });
};

/** One statement after another, in their order. */
async function inParts<Operation, Result>(
  operations: readonly Operation[],
  write: (part: Operation[]) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < operations.length; at += sliceMax)
    results.push(...(await write(operations.slice(at, at + sliceMax))));
  return results;
}

const skipped: RowOutcome = { count: 'skipped' };

const outcomeOf = (answer: Answer<object>, otherwise: keyof Counts): RowOutcome | Fault => {
  if (answer instanceof Fault) return answer;
  return { count: wasCreated(answer) ? 'created' : otherwise, notices: noticesOf(answer) };
};

const isConflict = (answer: Answer<object>): boolean =>
  answer instanceof Fault && answer.code === 'conflict';

const createOf = (contact: RowContact) => ({ action: 'create' as const, ...creationOf(contact) });
