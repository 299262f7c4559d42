import {
  graphqlFieldOf,
  operations,
  resources,
  type Operation,
  type OperationName,
} from '@roster/contracts';
import { Arg, Args, ArgsType, Ctx, ID, Query, Resolver } from 'type-graphql';
import type { z } from 'zod';
import type { GraphqlContext } from '../context.js';
import { Cost } from '../document/field-cost.js';
import { connectionOf, ConnectionOf } from './connection.js';
import { fieldsOfContract } from './field-types.js';
import { classNamed, InputFieldsOf } from './fields-of.js';
import { lookUps, type LookUp } from './look-ups.js';
import { connectionDetails, queryDescriptions } from './operation-details.js';
import { ForwardArguments, readForwardPage, withoutNull } from './page-arguments.js';

/** The queries that follow from their contracts. They are nullable, so that a fault of one leaves the others their results. */
@Resolver()
export class ContractQueries {}

/** @param byHand names of operations whose queries have resolvers of their own */
export function declareQueries(byHand: ReadonlySet<string>): void {
  for (const lookUp of lookUps.values()) declareLookUp(lookUp);
  for (const operation of Object.values(operations) as Operation[]) {
    const { access, http, name, resource } = operation;
    if (access !== 'read' || !http || http.file || http.upload) continue;
    if (resource || byHand.has(name)) continue;
    if (name.endsWith('.list')) declareList(operation);
    else declareSingle(operation);
  }
}

/** `contacts.get` is `contact(id: ID!)`, which is null if there is no such contact. */
function declareLookUp({ operation, type, find }: LookUp): void {
  const { noun } = resources[operation.resource!];
  const description = `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun} by ID; null when it does not exist.`;
  const resolve = (id: string, { operations: calls }: GraphqlContext) => find(calls, id);
  declareQuery(operation, type, [Arg('id', () => ID), Ctx()], resolve, description);
}

/** `settings.get` is `settings`. Aliases of the field share one call. */
function declareSingle(operation: Operation): void {
  const name = operation.name as OperationName;
  const [field, { type, entriesMax }] = Object.entries(
    fieldsOfContract(operation.output, 'output'),
  )[0]!;
  declareQuery(operation, type, [Ctx()], async ({ operations: calls }: GraphqlContext) => {
    const output: Record<string, unknown> = await calls.readOnce(name);
    return output[field];
  });
  if (entriesMax !== undefined)
    Cost({ entriesMax })(ContractQueries.prototype, graphqlFieldOf(operation).name);
}

/** `users.list` is the connection `users(first: Int!, after: String)`, with the other fields of the input as arguments. */
function declareList(operation: Operation): void {
  const name = operation.name as OperationName;
  const { connection, cursorOf, ...details } = connectionDetails[name]!;
  const [field, { type }] = Object.entries(fieldsOfContract(operation.output, 'output'))[0]!;
  const connectionType = classNamed(connection);
  ConnectionOf(() => (type() as [object])[0], details)(connectionType);
  const filter = (operation.input as z.ZodObject).omit({ limit: true, after: true });
  const argumentsType = classNamed(`${connection}Arguments`, ForwardArguments);
  InputFieldsOf(filter)(argumentsType);
  ArgsType()(argumentsType);
  declareQuery(
    operation,
    () => connectionType,
    [Args(() => argumentsType), Ctx()],
    async (
      { first, after, ...given }: ForwardArguments,
      { operations: calls, requestId }: GraphqlContext,
    ) => {
      const page = readForwardPage({ first, ...(after != null && { after }) }, requestId);
      const output = await calls.read(name, { ...page, ...withoutNull(given) });
      const { pagination, [field]: nodes } = output as unknown as ListOutput;
      const ends = {
        hasNext: pagination.next !== null,
        hasPrevious: page.after !== undefined,
      };
      return cursorOf
        ? connectionOf(nodes as { name: string }[], ends, cursorOf)
        : connectionOf(nodes as { id: string }[], ends);
    },
  );
}

type ListOutput = { pagination: { next: string | null } } & Record<string, unknown>;

function declareQuery(
  operation: Operation,
  type: () => object,
  parameters: ReturnType<typeof Ctx>[],
  resolve: (...parameters: never[]) => Promise<unknown>,
  description = `${operation.summary}.`,
): void {
  const { prototype } = ContractQueries;
  const { name } = graphqlFieldOf(operation);
  Object.defineProperty(prototype, name, { value: resolve });
  for (const [index, decorate] of parameters.entries()) decorate(prototype, name, index);
  Query(type, {
    nullable: true,
    description: queryDescriptions[operation.name as OperationName] ?? description,
  })(prototype, name, Object.getOwnPropertyDescriptor(prototype, name)!);
}
