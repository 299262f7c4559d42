import { faultOf, isolateCalls, type Answer, type Call } from '@roster/bus';
import {
  encodeId,
  Fault,
  notFound,
  referenceOf,
  uuidOf,
  type Operations,
  type Reference,
} from '@roster/contracts';
import { partsApart, type Session, type SessionHandler } from '@roster/storage';
import type { ContactsService } from '../service.js';
import { findByEmail, findByExternalId } from './find-contacts-by.js';
import { workspaceLocked } from './watermark.js';

/** A contact, and what it was named by: it is changed only as long as it still has that. */
export interface NamedContact {
  contactId: string;
  of?: Reference | undefined;
}
type NamedCall = Call<NamedContact>;

/** As statements compare it with `isStill`. */
export const referenceText = (of: Reference | undefined): string | undefined =>
  of && (of.emailKey === undefined ? `externalId:${of.externalId}` : `email:${of.emailKey}`);

/**
 * A condition: whether a contact still has what it was named by.
 *
 * @param input relation with the `referenceText`, or null
 * @param stored relation of the contact
 */
export const isStill = (input: string, stored: string): string =>
  `(${input}.reference is null
    or ${input}.reference in ('email:' || ${stored}.email_key, concat('externalId:', ${stored}.external_id)))`;

type ChangeContact =
  | Operations['contacts.update']
  | Operations['contacts.delete']
  | Operations['contacts.erase']
  | Operations['contacts.unsubscribe']
  | Operations['contacts.resubscribe'];

/** Maximum number of attempts. An attempt fails only if a contact gets or loses the name between two statements. */
const triesMax = 10;

/**
 * Looks up the contacts that calls name by something else than their ID. The write changes a contact only as long as it has that: if
 * it does not any more, the call is attempted again, so that no other contact is changed.
 */
export function byReference<O extends ChangeContact>(
  { database }: Pick<ContactsService, 'database'>,
  handle: SessionHandler<O>,
): SessionHandler<O> {
  const { partsOf = (calls: readonly unknown[]) => [[...calls.keys()]] } =
    handle as unknown as Parts;

  async function handleNamed(calls: NamedCall[], session: Session): Promise<Answer<object>[]> {
    if (!calls.some(hasReference)) return handle(calls as never, session);
    const answers: (Answer<object> | undefined)[] = calls.map(() => undefined);
    const open = () => [...calls.keys()].filter((index) => answers[index] === undefined);
    for (let tries = 0; open().length > 0 && tries < triesMax; tries += 1) {
      const indexes = open();
      const named = await resolveReferences(
        session,
        indexes.map((index) => calls[index]!),
      );
      const found: number[] = [];
      for (const [at, index] of indexes.entries())
        if (named[at]) found.push(at);
        else answers[index] = notFound('contact');
      const resolved = found.map((at) => named[at]!);
      for (const part of partsOf(resolved) ?? []) {
        const some = part.map((at) => resolved[at]!);
        const given = await (session === database ? isolated(some, session) : write(some, session));
        for (const [n, at] of part.entries())
          if (!isGone(given[n]!)) answers[indexes[found[at]!]!] = given[n]!;
      }
    }
    return answers.map((answer) => answer ?? workspaceLocked);
  }

  const write = (calls: NamedCall[], session: Session): Promise<Answer<object>[]> =>
    handle(calls as never, session);
  /** Outside of a transaction each part is committed by itself: if one throws, the others must not be repeated. */
  const isolated = (calls: NamedCall[], session: Session) =>
    isolateCalls<NamedCall, Answer<object>>(calls, (some) => write(some, session), faultOf);

  /** Calls with a reference are parts of their own: which contact they concern is not known yet. */
  const partsOfNamed = (calls: readonly NamedCall[]): number[][] | undefined => {
    const isTransaction = calls.some(({ idempotencyKey }) => idempotencyKey !== undefined);
    // Several statements of one transaction would lock contacts in another order than other writes.
    const divide = isTransaction ? undefined : (references: number[]) => [references];
    return partsApart(calls, hasReference, partsOf, divide);
  };
  return Object.assign(handleNamed as SessionHandler<O>, { partsOf: partsOfNamed as never });
}

interface Parts {
  partsOf?: (calls: readonly NamedCall[]) => number[][] | undefined;
}

const hasReference = ({ input }: NamedCall): boolean => referenceOf(input.contactId) !== undefined;

/** The contact may have lost the name meanwhile, which another contact may have now. */
const isGone = (answer: Answer<object>): boolean =>
  answer instanceof Fault && answer.code === 'not_found';

/** Returns for each name the ID of the contact that has it, or undefined. */
async function findReferenced(
  session: Session,
  requested: readonly ({ workspaceId: string } & Reference)[],
): Promise<(string | undefined)[]> {
  const byEmail = await findByEmail(session, requested);
  const byExternalId = await findByExternalId(session, requested);
  return requested.map((_, index) => byEmail[index] ?? byExternalId[index]);
}

/** The calls with the ID of their contact, and what it was named by. Undefined for those that name none. */
export async function resolveReferences<Input extends NamedContact>(
  session: Session,
  calls: readonly Call<Input>[],
): Promise<(Call<Input> | undefined)[]> {
  const named = [...calls.keys()].flatMap((index) => {
    const of = referenceOf(calls[index]!.input.contactId);
    return of ? [{ index, of }] : [];
  });
  if (named.length === 0) return [...calls];
  const found = await findReferenced(
    session,
    named.map(({ index, of }) => ({
      workspaceId: uuidOf('workspace', calls[index]!.caller.workspaceId),
      ...of,
    })),
  );
  const resolved: (Call<Input> | undefined)[] = [...calls];
  for (const [at, { index, of }] of named.entries()) {
    const call = calls[index]!;
    const id = found[at];
    resolved[index] =
      id === undefined
        ? undefined
        : { ...call, input: { ...call.input, contactId: encodeId('contact', id), of } };
  }
  return resolved;
}
