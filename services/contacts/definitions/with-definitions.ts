import { faultOf, isolateCalls, type Answer, type Call } from '@roster/bus';
import {
  contactPropertiesMax,
  Fault,
  uuidOf,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Session, SessionHandler } from '@roster/service/storage';
import type { ContactsService } from '../service.js';
import {
  findDefined,
  insertDefinitions,
  lockDefinitions,
  tooManyDefinitions,
} from './definition-rows.js';

type WriteContact = Operations['contacts.create'] | Operations['contacts.update'];
type Answers<O extends WriteContact> = Answer<OutputOf<O>>[];

/**
 * Defines the properties of contacts in the transaction that writes the contact. Properties of refused contacts are not
 * defined. Calls without new properties are handled together, without a transaction.
 */
export function withDefinitions<O extends WriteContact>(
  service: ContactsService,
  handle: SessionHandler<O>,
): SessionHandler<O> {
  return async (calls, session) => {
    if (calls.every((call) => newNames(service, call).length === 0)) return handle(calls, session);
    await rememberDefined(service, calls, session);

    const answers: Answers<O> = Array.from({ length: calls.length });
    const answer = async (
      indexes: number[],
      work: (part: Call<InputOf<O>>[]) => Promise<Answers<O>>,
    ) => {
      // Handled separately, because batches that are committed cannot be rolled back.
      const part = indexes.map((index) => calls[index]!);
      const given = await isolateCalls(part, work, faultOf);
      for (const [at, index] of indexes.entries()) answers[index] = given[at]!;
    };
    const { plain = [], defining = [] } = Object.groupBy(calls.keys(), (index) =>
      newNames(service, calls[index]!).length === 0 ? 'plain' : 'defining',
    );
    if (plain.length > 0) await answer(plain, (part) => handle(part, session));
    for (const own of Map.groupBy(defining, (index) => calls[index]!.caller.workspaceId).values())
      await answer(own, (part) =>
        session.transaction((inner) => defineAndHandle(service, part, inner, handle)),
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

/** Looks up which of the new names are defined. */
async function rememberDefined<O extends WriteContact>(
  service: ContactsService,
  calls: readonly Call<InputOf<O>>[],
  session: Session,
): Promise<void> {
  const { definitions } = service;
  const { version } = definitions;
  const wanted = calls.flatMap((call) => {
    const workspaceId = workspaceOf(call);
    return newNames(service, call).map((name) => ({ workspaceId, name }));
  });
  const found = Map.groupBy(await findDefined(session, wanted), (row) => row.workspace_id);
  for (const [workspaceId, rows] of found)
    definitions.add(
      workspaceId,
      rows.map(({ name }) => name),
      version,
    );
}

/** @param calls of one workspace */
async function defineAndHandle<O extends WriteContact>(
  service: ContactsService,
  calls: Call<InputOf<O>>[],
  inner: Session,
  handle: SessionHandler<O>,
): Promise<Answers<O>> {
  const { definitions, ids } = service;
  const { version } = definitions;
  const workspaceId = workspaceOf(calls[0]!);
  const brought = calls.map((call) => newNames(service, call));
  const { total, found } = await lockDefinitions(inner, workspaceId, [...new Set(brought.flat())]);

  const room = new DefinitionRoom(total, found);
  const admitted = [...calls.keys()].filter((index) => room.take(brought[index]!));
  const answers: Answers<O> = calls.map(() => tooManyDefinitions);
  if (admitted.length === 0) return answers;
  const given = await handle(
    admitted.map((index) => calls[index]!),
    inner,
  );
  const defined = new Set<string>();
  for (const [at, index] of admitted.entries()) {
    answers[index] = given[at]!;
    if (!(given[at] instanceof Fault)) for (const name of brought[index]!) defined.add(name);
  }
  // Runs even if it defines nothing: in a failed transaction it throws, whereas a commit would silently roll back.
  await insertDefinitions(
    inner,
    ids,
    workspaceId,
    [...defined].filter((name) => !found.has(name)),
  );
  inner.afterCommit(() => definitions.add(workspaceId, defined, version));
  return answers;
}

/** How many more definitions a workspace may have. */
class DefinitionRoom {
  readonly #names: Set<string>;
  #left: number;

  constructor(total: number, found: ReadonlyMap<string, string>) {
    this.#names = new Set(found.keys());
    this.#left = contactPropertiesMax - total;
  }

  /** Returns false, without taking any, if there are too many names. */
  take(names: readonly string[]): boolean {
    const added = names.filter((name) => !this.#names.has(name));
    if (added.length > this.#left) return false;
    this.#left -= added.length;
    for (const name of added) this.#names.add(name);
    return true;
  }
}
