import {
  camelCase,
  graphqlFieldOf,
  pathFieldsOf,
  resources,
  type Operation,
} from '@roster/contracts';
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
import { sampleInput } from './sample-input.js';

/** Message for operations that are missing from the schema. */
export function howToExpose(operation: Operation): string {
  const { parent, name } = graphqlFieldOf(operation);
  return (
    `GraphQL does not expose ${operation.name}: declare the field ${parent}.${name} in ` +
    'gateway/graphql/resources, and run `npm run record`.'
  );
}

export function findField(
  schema: GraphQLSchema,
  operation: Operation,
): GraphQLField<unknown, unknown> | undefined {
  const { parent, name } = graphqlFieldOf(operation);
  const type = schema.getType(parent);
  return isObjectType(type) ? type.getFields()[name] : undefined;
}

/**
 * A document that calls an operation and selects all non-null fields of the result.
 *
 * @param id of the resource of the operation, or what else the path of REST names
 */
export function documentOf(
  schema: GraphQLSchema,
  operation: Operation,
  id: string,
): { query: string; variables: Record<string, unknown> } {
  const field = findField(schema, operation);
  if (!field) throw new Error(howToExpose(operation));
  const { parent } = graphqlFieldOf(operation);
  const selected = `${field.name}${argumentsOf(field)} ${selectionOf(getNamedType(field.type))}`;
  const input = field.args.find(({ name }) => name === 'input');
  if (input) {
    const query = `mutation ($input: ${String(input.type)}) { ${selected} }`;
    return { query, variables: { input: graphqlInput(operation, getNamedType(input.type), id) } };
  }
  if (parent === 'Query' || parent === 'Mutation')
    return { query: `${parent.toLowerCase()} { ${selected} }`, variables: {} };
  return {
    query: `{ ${camelCase(operation.resource!)}(id: "${id}") { ${selected} } }`,
    variables: {},
  };

  function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
    const sample = sampleInput(operation);
    const given = args.flatMap(({ name, type }) => {
      if (name === 'input') return 'input: $input';
      if (name === 'id') return `id: "${id}"`;
      if (name === 'first') return 'first: 10';
      return isNonNullType(type) ? `${name}: ${JSON.stringify(sample[name])}` : [];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }
}

/** Inputs contain the ID of the changed resource as `id`, contracts as the ID field of the resource. */
function graphqlInput(
  operation: Operation,
  type: GraphQLNamedType,
  id: string,
): Record<string, unknown> {
  const fields = isInputObjectType(type) ? type.getFields() : {};
  const { http, resource } = operation;
  const [field] = http ? pathFieldsOf(http) : [];
  const idField = field ?? (resource && resources[resource].idField);
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
