import { faultOf, isolateCalls, type Answer, type Call } from '@roster/bus';
import {
  contactPropertiesMax,
  Fault,
  uuidOf,
  type ContactPropertyType,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Session, SessionHandler } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { inRoom } from './definition-room.js';
import { strictRefusals } from './strict-properties.js';
import { handleTyped, type TypeOf } from './typed-calls.js';
import { withoutUnchanged } from './unchanged-values.js';
import {
  findDefined,
  insertDefinitions,
  lockDefinitions,
  tooManyDefinitions,
  type FoundDefinitions,
} from './definition-rows.js';

type WriteContact = Operations['contacts.create'] | Operations['contacts.update'];
type Answers<O extends WriteContact> = Answer<OutputOf<O>>[];

/**
 * Defines the properties of contacts in the transaction that writes the contact, and refuses values that are not of the type that a
 * property has. Properties of refused contacts are not defined. Calls without new properties are handled together, without a
 * transaction.
 *
 * @param isText whether values are texts, of which the values of other types are read
 */
export function withDefinitions<O extends WriteContact>(
  service: ContactsService,
  handleAny: SessionHandler<O>,
  isText = false,
): SessionHandler<O> {
  const handleOf =
    (typeOf: TypeOf): SessionHandler<O> =>
    (calls, session) =>
      handleTyped<O>(calls, typeOf, isText, (typed) => handleAny(typed, session));
  const knownType: TypeOf = (call, name) => service.definitions.typeOf(workspaceOf(call), name);
  const handleKnown = handleOf(knownType);
  return async (given, session) => {
    if (given.every((call) => newNames(service, call).length === 0))
      return handleKnown(given, session);
    const { version } = service.definitions;
    const found = await findNewNames(service, given, session);
    const undefinedIn = (call: Call<InputOf<O>>) =>
      newNames(service, call).filter((name) => !found.get(workspaceOf(call))?.types.has(name));
    const calls = await withoutUnchanged(given, undefinedIn, session);

    // Outside of a transaction handled separately, because batches that are committed cannot be rolled back. After an error, a
    // transaction executes no further statement.
    const isSeparate = session === service.database;
    const answers: Answers<O> = Array.from({ length: calls.length });
    const answer = async (
      indexes: number[],
      work: (part: Call<InputOf<O>>[]) => Promise<Answers<O>>,
    ) => {
      const part = indexes.map((index) => calls[index]!);
      const answered = await (isSeparate ? isolateCalls(part, work, faultOf) : work(part));
      for (const [at, index] of indexes.entries()) answers[index] = answered[at]!;
    };
    const kinds = calls.map((call) => kindOf(service, call, found, version));
    await refuseUnknown(service, calls, kinds, answers, session);
    // In a transaction, definitions are locked before any contact, and all contacts by one statement.
    const plainKind = !isSeparate && kinds.includes('defining') ? 'defining' : 'plain';
    const {
      plain = [],
      defining = [],
      refused = [],
    } = Object.groupBy(calls.keys(), (index) =>
      kinds[index] === 'plain' ? plainKind : kinds[index]!,
    );
    for (const index of refused) answers[index] ??= tooManyDefinitions;
    const foundType: TypeOf = (call, name) =>
      found.get(workspaceOf(call))?.types.get(name) ?? knownType(call, name);
    const handleFound = handleOf(foundType);
    if (plain.length > 0) await answer(plain, (part) => handleFound(part, session));
    for (const own of Map.groupBy(defining, (index) => calls[index]!.caller.workspaceId).values())
      await answer(own, (part) =>
        session.transaction((inner) => defineAndHandle(service, part, inner, handleOf)),
      );
    return answers;
  };
}

const workspaceOf = ({ caller }: Call): string => uuidOf('workspace', caller.workspaceId);

/** Names that the cache does not contain. */
function newNames({ definitions }: ContactsService, call: Call<InputOf<WriteContact>>): string[] {
  const { properties } = call.input;
  if (properties === undefined) return [];
  const names = Object.keys(properties);
  if (names.length === 0) return names;
  const workspaceId = workspaceOf(call);
  return names.filter((name) => properties[name] !== null && !definitions.has(workspaceId, name));
}

/**
 * Looks up which of the new names are defined, and remembers them after the commit: the transaction itself may have defined them.
 */
async function findNewNames<O extends WriteContact>(
  service: ContactsService,
  calls: readonly Call<InputOf<O>>[],
  session: Session,
): Promise<Map<string, FoundDefinitions>> {
  const { definitions } = service;
  const { version } = definitions;
  const wanted = calls.flatMap((call) => {
    const workspaceId = workspaceOf(call);
    return newNames(service, call).map((name) => ({ workspaceId, name }));
  });
  const found = await findDefined(session, wanted);
  session.afterCommit(() => {
    for (const [workspaceId, { types }] of found) definitions.add(workspaceId, types, version);
  });
  return found;
}

type Kind = 'plain' | 'defining' | 'refused' | 'unknown';
const foundNone: FoundDefinitions = { types: new Map(), total: null, isStrict: false };

/** Refuses the calls of kind `unknown`, unless the settings or the definitions have changed meanwhile. */
async function refuseUnknown<O extends WriteContact>(
  service: ContactsService,
  calls: readonly Call<InputOf<O>>[],
  kinds: Kind[],
  answers: Answers<O>,
  session: Session,
): Promise<void> {
  const unknown = [...kinds.keys()].filter((index) => kinds[index] === 'unknown');
  for (const [workspaceId, own] of Map.groupBy(unknown, (index) => workspaceOf(calls[index]!))) {
    const brought = own.map((index) => newNames(service, calls[index]!));
    const refusals = await strictRefusals(session, workspaceId, brought);
    for (const [at, index] of own.entries()) {
      const refusal = refusals[at];
      kinds[index] = refusal ? 'refused' : 'defining';
      if (refusal) answers[index] = refusal;
    }
  }
}

/**
 * Whether a call adds no definition, adds some, or is refused because the workspace has no room for them or defines none in this
 * way (`unknown`): without a transaction, which the other calls of the batch would wait for.
 *
 * @param version of the cache, before the names were looked up: a definition deleted since is added again
 */
function kindOf(
  service: ContactsService,
  call: Call<InputOf<WriteContact>>,
  found: ReadonlyMap<string, FoundDefinitions>,
  version: number,
): Kind {
  const { types, total, isStrict } = found.get(workspaceOf(call)) ?? foundNone;
  const brought = newNames(service, call);
  const added = brought.filter((name) => !types.has(name));
  const isCurrent = service.definitions.version === version;
  if (brought.length === 0 || (added.length === 0 && isCurrent)) return 'plain';
  if (isStrict && added.length > 0) return 'unknown';
  return total === null || total + added.length <= contactPropertiesMax ? 'defining' : 'refused';
}

/** @param calls of one workspace */
async function defineAndHandle<O extends WriteContact>(
  service: ContactsService,
  calls: Call<InputOf<O>>[],
  inner: Session,
  handleOf: (typeOf: TypeOf) => SessionHandler<O>,
): Promise<Answers<O>> {
  const { definitions, ids } = service;
  const { version } = definitions;
  const workspaceId = workspaceOf(calls[0]!);
  const brought = calls.map((call) => newNames(service, call));
  const locked = await lockDefinitions(inner, workspaceId, [...new Set(brought.flat())]);
  const refusals = locked.isStrict ? await strictRefusals(inner, workspaceId, brought) : [];

  const typeOf = (name: string): ContactPropertyType | undefined =>
    locked.found.get(name)?.type ?? definitions.typeOf(workspaceId, name);
  const handle = handleOf((_, name) => typeOf(name));
  const defined = new Set<string>();
  const answers: Answers<O> = Array.from({ length: calls.length });
  let isBegun = false;
  const room = {
    refuse: (index: number, refusal: Fault) => void (answers[index] = refusal),
    async handle(indexes: number[]) {
      isBegun = true;
      const given = await handle(
        indexes.map((index) => calls[index]!),
        inner,
      );
      return indexes.map((index, at) => {
        answers[index] = given[at]!;
        const isDefined = !(given[at] instanceof Fault);
        if (isDefined) for (const name of brought[index]!) defined.add(name);
        return isDefined;
      });
    },
  };
  await inRoom(locked, brought, room, refusals);
  if (!isBegun) return answers;
  // Runs even if it defines nothing: in a failed transaction it throws, whereas a commit would silently roll back.
  await insertDefinitions(
    inner,
    ids,
    workspaceId,
    [...defined].filter((name) => !locked.found.has(name)),
  );
  const types = [...defined].map((name) => [name, typeOf(name) ?? 'string'] as const);
  inner.afterCommit(() => definitions.add(workspaceId, types, version));
  return answers;
}
