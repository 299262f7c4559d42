import {
  graphqlFieldOf,
  operations,
  pascalCase,
  resources,
  type Operation,
  type OperationName,
} from '@roster/contracts';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, ID, Info, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { ClassType } from 'type-graphql';
import type { GraphqlContext } from '../context.js';
import { contactFilterOf } from './contact-filter.js';
import { fieldsOfContract, objectNamed } from './field-types.js';
import { classNamed, declareField } from './fields-of.js';
import { mutationDetails, type MutationDetails } from './operation-details.js';

/** The mutations that follow from their contracts: `contacts.archive` is `archiveContact(input: ArchiveContactInput!)`. */
@Resolver()
export class ContractMutations {}

/** @param byHand names of operations whose mutations have resolvers of their own */
export function declareMutations(byHand: ReadonlySet<string>): void {
  for (const operation of Object.values(operations) as Operation[]) {
    const { access, http, name } = operation;
    if (access === 'write' && http && !http.upload && !byHand.has(name)) declareMutation(operation);
  }
}

function declareMutation(operation: Operation): void {
  const { name } = graphqlFieldOf(operation);
  const operationName = operation.name as OperationName;
  const details = detailsOf(operation);
  const input = inputOf(operationName);
  const { payload, resultOf } = payloadOf(operation, details);
  const { contactFilter } = details;
  const idField = changedIdField(operation);
  const prototype = ContractMutations.prototype;
  const write = async (
    given: { id: string },
    { operations: calls, requestId }: GraphqlContext,
    info: GraphQLResolveInfo,
  ): Promise<object> => {
    const { id, ...change } = given;
    const value: Record<string, unknown> =
      idField === undefined ? { ...given } : { [idField]: id, ...change };
    if (contactFilter !== undefined)
      value[contactFilter] = contactFilterOf(
        value[contactFilter] as object,
        `/${contactFilter}`,
        requestId,
      );
    return resultOf(await calls.write(operationName, value, info), id);
  };
  Object.defineProperty(prototype, name, { value: write });
  Arg('input', () => input)(prototype, name, 0);
  Ctx()(prototype, name, 1);
  Info()(prototype, name, 2);
  const { description } = details;
  Mutation(() => payload, { ...(description !== undefined && { description }) })(
    prototype,
    name,
    Object.getOwnPropertyDescriptor(prototype, name)!,
  );
}

/** The type of a mutation's input. It has the ID of the changed resource as `id`. */
export function inputOf(name: OperationName): ClassType {
  const operation: Operation = operations[name];
  const idField = changedIdField(operation);
  const { ofInput = defaultOfInput(operation), input = {}, inputTypes = {} } = detailsOf(operation);
  const type = classNamed(`${pascalCase(graphqlFieldOf(operation).name)}Input`);
  const fields = fieldsOfContract(operation.input, 'input');
  if (idField !== undefined) {
    const { description } = fields[idField]!;
    Field(() => ID, { ...(description !== undefined && { description }) })(type.prototype, 'id');
  }
  for (const [field, declared] of Object.entries(fields)) {
    // An input can repeat the ID.
    if (idField !== undefined && (field === idField || field === 'id')) continue;
    const named = inputTypes[field];
    const typed = named === undefined ? declared : { ...declared, type: () => objectNamed(named) };
    declareField(type, field, { ...typed, entriesMax: undefined }, input[field]);
  }
  InputType({ ...(ofInput !== undefined && { description: ofInput }) })(type);
  return type;
}

const defaultOfInput = ({ name }: Operation): string | undefined =>
  name.includes('.update') ? 'Omitted fields are left unchanged.' : undefined;

/** The field with the ID of the changed resource. The input of a create refers to another resource. */
const changedIdField = ({ name, resource }: Operation): string | undefined =>
  resource && !name.endsWith('.create') ? resources[resource].idField : undefined;

interface Payload {
  payload: ClassType;
  /** @param id of the input */
  resultOf: (output: object, id: string) => object;
}

/** The type of a mutation's result. An object is named after its type, and the result of a deletion is the ID. */
function payloadOf(operation: Operation, details: MutationDetails): Payload {
  const payload = classNamed(`${pascalCase(graphqlFieldOf(operation).name)}Payload`);
  ObjectType()(payload);
  const fields = Object.entries(fieldsOfContract(operation.output, 'output'));
  if (fields[0]?.[0] === 'deleted') {
    const noun = resources[operation.resource!].noun;
    const description = details.payload?.['deletedId'] ?? `ID of the deleted ${noun}.`;
    Field(() => ID, { description })(payload.prototype, 'deletedId');
    return {
      payload,
      resultOf: (output, id) => ({ deletedId: (output as { id?: string }).id ?? id }),
    };
  }
  const renamed = new Map<string, string>();
  for (const [field, declared] of fields) {
    const { objectName = field, entriesMax = details.entriesMax?.[field] } = declared;
    const name = objectName.replace(/^\w/, (one) => one.toLowerCase());
    if (name !== field) renamed.set(field, name);
    declareField(payload, name, { ...declared, entriesMax }, details.payload?.[name]);
  }
  if (renamed.size === 0) return { payload, resultOf: (output) => output };
  const rename = ([field, value]: [string, unknown]) => [renamed.get(field) ?? field, value];
  return {
    payload,
    resultOf: (output) => Object.fromEntries(Object.entries(output).map(rename)) as object,
  };
}

const detailsOf = ({ name }: Operation): MutationDetails =>
  mutationDetails[name as OperationName] ?? {};
