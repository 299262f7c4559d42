import { Contended, type Call, type Handler } from '@roster/bus';
import { uuidOf, type Operation } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';

/**
 * Lets triggers compare all values that are written in a workspace with the types of its properties, in the transaction that
 * creates or changes a type. It takes the turn of the workspace: what is written afterwards sees the type.
 *
 * A process compares them before it writes, by types that another process may have changed since. The triggers refuse what it
 * would not have written.
 */
export async function markTyped(inner: Session, workspaceId: string): Promise<void> {
  await inner.query(takeTurn, [workspaceId]);
  await inner.query(mark, [workspaceId]);
}

/** Whether a trigger refused values, because the process did not know the types of properties. Nothing was changed. */
export const isOfOtherType = (error: unknown): boolean =>
  error instanceof Contended && (error.reason?.includes(refusal) ?? false);

/** Work of a job, whose next attempt looks the types up if a trigger refused it. */
export async function withTypesOf<T>(
  { definitions }: Pick<ContactsService, 'definitions'>,
  workspaceId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isOfOtherType(error)) definitions.forget(workspaceId);
    throw error;
  }
}

/** Repeats calls once that a trigger refused: by then the process has looked the types up. */
export function againWithTypes<O extends Operation>(
  { definitions }: Pick<ContactsService, 'definitions'>,
  handle: Handler<O>,
): Handler<O> {
  const forget = (calls: readonly Call[]) => {
    for (const { caller } of calls) definitions.forget(uuidOf('workspace', caller.workspaceId));
  };
  const again: Handler<O> = async (calls) => {
    let answers;
    try {
      answers = await handle(calls);
    } catch (error) {
      if (!isOfOtherType(error)) throw error;
      forget(calls);
      return handle(calls);
    }
    const refused = [...calls.keys()].filter((index) => isOfOtherType(answers[index]));
    if (refused.length === 0) return answers;
    const some = refused.map((index) => calls[index]!);
    forget(some);
    const given = await handle(some);
    for (const [at, index] of refused.entries()) answers[index] = given[at]!;
    return answers;
  };
  return Object.assign(again, handle.partsOf && { partsOf: handle.partsOf });
}

/** In the message of the triggers. */
const refusal = 'a value of another type than the contact property has';

const takeTurn: Statement = {
  name: 'contact-properties.take-turn',
  text: 'select 1 from contacts.watermarks where workspace_id = $1 for update',
};

const mark: Statement = {
  name: 'contact-properties.mark-typed',
  text: 'insert into contacts.typed_workspaces (workspace_id) values ($1) on conflict do nothing',
};
