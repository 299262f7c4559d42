import { resources, type Operation, type ResourceKind } from '@roster/contracts';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { sampleInput } from '../sample-input.js';

/** The field of the schema that exposes an operation. */
export interface OperationField {
  /** `Query`, `Mutation`, or the type of the resource. */
  parent: string;
  name: string;
}

const pascal = (words: string): string =>
  words.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
const camel = (words: string): string => pascal(words).replace(/^\w/, (one) => one.toLowerCase());
/** Settings are one resource. */
const singular = (noun: string): string =>
  noun === 'settings' ? noun : noun.replace(/ies$/, 'y').replace(/s$/, '');

/** GraphQL type of a resource. */
const typeOf = (kind: ResourceKind): string => pascal(kind);

/**
 * Field of an operation by naming convention: `contacts.archive` is `Mutation.archiveContact`, and `contacts.batch`, which
 * concerns many, `Mutation.batchContacts`.
 */
export function fieldOf({ name, access, resource, bulk }: Operation): OperationField {
  const [noun = '', verb = ''] = name.split('.');
  const type = pascal(bulk ? noun : singular(noun));
  if (access === 'write') {
    const [first = '', ...rest] = verb.split('-');
    // `me` replaces the noun.
    const object = rest[0] === 'me' ? '' : type;
    return { parent: 'Mutation', name: first + object + pascal(rest.join('-')) };
  }
  if (verb === 'get') return { parent: 'Query', name: camel(singular(noun)) };
  const field = camel(verb === 'list' ? noun : verb);
  return { parent: resource ? typeOf(resource) : 'Query', name: field };
}

/** Message for operations that are missing from the schema. */
export function howToExpose(operation: Operation): string {
  const { parent, name } = fieldOf(operation);
  const folder = singular(operation.name.split('.')[0]!);
  return (
    `GraphQL does not expose ${operation.name}: add the field ${parent}.${name} to a resolver in ` +
    `gateway/graphql/resources/${folder}/, and run \`npm run record\`.`
  );
}

export function findField(
  schema: GraphQLSchema,
  operation: Operation,
): GraphQLField<unknown, unknown> | undefined {
  const { parent, name } = fieldOf(operation);
  const type = schema.getType(parent);
  return isObjectType(type) ? type.getFields()[name] : undefined;
}

/**
 * A document that calls an operation and selects all non-null fields of the result.
 *
 * @param id of the resource of the operation
 */
export function documentOf(
  schema: GraphQLSchema,
  operation: Operation,
  id: string,
): { query: string; variables: Record<string, unknown> } {
  const field = findField(schema, operation);
  if (!field) throw new Error(howToExpose(operation));
  const { parent } = fieldOf(operation);
  const selected = `${field.name}${argumentsOf(field)} ${selectionOf(getNamedType(field.type))}`;
  const input = field.args.find(({ name }) => name === 'input');
  if (input) {
    const query = `mutation ($input: ${String(input.type)}) { ${selected} }`;
    return { query, variables: { input: graphqlInput(operation, getNamedType(input.type), id) } };
  }
  if (parent === 'Query' || parent === 'Mutation')
    return { query: `${parent.toLowerCase()} { ${selected} }`, variables: {} };
  return {
    query: `{ ${camel(operation.resource!)}(id: "${id}") { ${selected} } }`,
    variables: {},
  };

  function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
    const given = args.flatMap(({ name }) => {
      if (name === 'input') return '$input';
      if (name === 'id') return `"${id}"`;
      return name === 'first' ? '10' : [];
    });
    const names = args
      .map(({ name }) => name)
      .filter((name) => ['input', 'id', 'first'].includes(name));
    return given.length > 0
      ? `(${names.map((name, index) => `${name}: ${given[index]}`).join(', ')})`
      : '';
  }
}

/** Inputs contain the ID of the changed resource as `id`, contracts as the ID field of the resource. */
function graphqlInput(
  operation: Operation,
  type: GraphQLNamedType,
  id: string,
): Record<string, unknown> {
  const fields = isInputObjectType(type) ? type.getFields() : {};
  const idField = operation.resource && resources[operation.resource].idField;
  return Object.fromEntries(
    Object.entries(sampleInput(operation)).map(([name, value]) => {
      if (name === idField) return [name in fields ? name : 'id', id];
      const enumeration = getNamedType(fields[name]?.type);
      if (!isEnumType(enumeration)) return [name, value];
      // A schema that is read from a file contains the names only: API_USER for `api_user`.
      const nameOf = (one: unknown) =>
        enumeration
          .getValues()
          .find(
            ({ value: own, name: given }) => own === one || given === String(one).toUpperCase(),
          )!.name;
      return [name, Array.isArray(value) ? value.map(nameOf) : nameOf(value)];
    }),
  );
}

function selectionOf(type: GraphQLNamedType, depth = 0): string {
  if (isLeafType(type)) return '';
  const fields = isObjectType(type) && depth < 4 ? Object.values(type.getFields()) : [];
  const parts = fields
    .filter((field) => isNonNullType(field.type) && field.args.length === 0)
    .map((field) => `${field.name} ${selectionOf(getNamedType(field.type), depth + 1)}`);
  return `{ ${['__typename', ...parts].join(' ')} }`;
}
