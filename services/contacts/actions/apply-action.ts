import { Json, type Call } from '@roster/bus';
import { encodeId, Fault, type ContactChange } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import { matches } from '../reading/conditions.js';
import type { ContactsService } from '../service.js';
import { isRefusal } from '../writing/batch-result.js';
import { sliceMax, type BatchWriters } from '../writing/batch-writers.js';
import { lockContacts } from '../writing/lock-contacts.js';
import type { ActionFailure } from './action-shape.js';

/** Number of contacts by their outcome. */
export type ActionCounts = Record<'matched' | 'changed' | 'unchanged' | 'failed', number>;

export interface ActionOutcome {
  counts: ActionCounts;
  failures: ActionFailure[];
}

export const noOutcome: ActionOutcome = {
  counts: { matched: 0, changed: 0, unchanged: 0, failed: 0 },
  failures: [],
};

/**
 * Changes those of some contacts that match when they are locked. Each change is one version and one event of its contact.
 *
 * @param call in the name of the workspace
 * @param conditions the result of `conditionValues`
 * @param ids ascending
 */
export async function applyAction(
  service: ContactsService,
  writers: BatchWriters,
  call: Call,
  { change, conditions }: { change: ContactChange; conditions: readonly unknown[] },
  ids: readonly string[],
  inner: Session,
): Promise<ActionOutcome> {
  const { delete: isDeletion, ...changes } = change;
  const updates = ids.map((id) => ({
    action: 'update' as const,
    id: encodeId('contact', id),
    ...changes,
  }));
  await lockContacts(service, call, updates, inner);
  const rows = await inner.query<LockedRow>(selectMatching, [...conditions, ids]);
  const versions = new Map(rows.map(({ id, version }) => [encodeId('contact', id), version]));
  const { counts, failures } = structuredClone(noOutcome);
  counts.matched = rows.length;
  const matching = updates.filter(({ id }) => versions.has(id));
  for (let at = 0; at < matching.length; at += sliceMax) {
    const part = matching.slice(at, at + sliceMax);
    const answers = isDeletion
      ? await writers.delete(call, part.map(deletionOf), inner)
      : await writers.update(call, part, inner);
    for (const [n, { id }] of part.entries()) {
      const answer = answers[n]!;
      if (answer instanceof Fault) {
        // The fault concerns no contact: the slice is rolled back, and done later.
        if (!isRefusal(answer)) throw answer;
        counts.failed += 1;
        failures.push({ contactId: id, message: messageOf(answer) });
      } else if (isDeletion || versionIn(answer) !== versions.get(id)) counts.changed += 1;
      else counts.unchanged += 1;
    }
  }
  return { counts, failures };
}

interface LockedRow {
  id: string;
  version: number;
}

const deletionOf = ({ id }: { id: string }) => ({ action: 'delete' as const, id });

const versionIn = (answer: object): number =>
  (JSON.parse(Json.textOf(answer)) as { contact: { version: number } }).contact.version;

const charactersMax = 150;

function messageOf({ message, details }: Fault): string {
  const [error] = details.errors ?? [];
  const text = error ? `${error.pointer.slice(1)} ${error.message}` : message;
  return text.slice(0, charactersMax).toWellFormed();
}

/** Contacts that are locked already. */
const selectMatching: Statement = {
  name: 'contact-actions.select-matching',
  text: `
    select id, version from contacts.contacts
    where workspace_id = $1::uuid and id = any ($16::uuid[]) and ${matches} order by id`,
};
