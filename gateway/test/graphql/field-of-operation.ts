import { resources, type Operation, type ResourceKind } from '@roster/contracts';
import { sampleInput } from '@roster/testing';
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
import { pathIds } from '../stub-services.js';

/** A field of the schema that shows an operation. */
export interface OperationField {
  /** `Query`, `Mutation`, or the type of the resource that it is an edge of. */
  parent: string;
  name: string;
}

const pascal = (words: string): string =>
  words.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
const camel = (words: string): string => pascal(words).replace(/^\w/, (one) => one.toLowerCase());
const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');

/** GraphQL's name of a resource's type. */
const typeOf = (kind: ResourceKind): string => pascal(kind);

/** Where GraphQL shows an operation, by the rules that names follow: `contacts.archive` is `Mutation.archiveContact`. */
export function fieldOf({ name, access, resource }: Operation): OperationField {
  const [noun = '', verb = ''] = name.split('.');
  const type = pascal(singular(noun));
  if (access === 'write') {
    const [first = '', ...rest] = verb.split('-');
    // The user whose key it is stands for the noun.
    const object = rest[0] === 'me' ? '' : type;
    return { parent: 'Mutation', name: first + object + pascal(rest.join('-')) };
  }
  if (verb === 'get') return { parent: 'Query', name: camel(singular(noun)) };
  const field = camel(verb === 'list' ? noun : verb);
  return { parent: resource ? typeOf(resource) : 'Query', name: field };
}

/** What somebody who declared an operation and forgot GraphQL has to do. */
export function howToShow(operation: Operation): string {
  const { parent, name } = fieldOf(operation);
  const folder = singular(operation.name.split('.')[0]!);
  return (
    `GraphQL does not show ${operation.name}: add the field ${parent}.${name} to a resolver in ` +
    `gateway/graphql/${folder}/, and run \`npm run schema -w gateway\`.`
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

/** Asks an operation over GraphQL, for all of its answer that is never null. */
export function documentOf(
  schema: GraphQLSchema,
  operation: Operation,
): { query: string; variables: Record<string, unknown> } {
  const field = findField(schema, operation);
  if (!field) throw new Error(howToShow(operation));
  const { parent } = fieldOf(operation);
  const selected = `${field.name}${argumentsOf(field)} ${selectionOf(getNamedType(field.type))}`;
  const input = field.args.find(({ name }) => name === 'input');
  if (input) {
    const query = `mutation ($input: ${String(input.type)}) { ${selected} }`;
    return { query, variables: { input: graphqlInput(operation, getNamedType(input.type)) } };
  }
  if (parent === 'Query' || parent === 'Mutation')
    return { query: `${parent.toLowerCase()} { ${selected} }`, variables: {} };
  const id = idOf(operation.resource!);
  return {
    query: `{ ${camel(operation.resource!)}(id: "${id}") { ${selected} } }`,
    variables: {},
  };

  function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
    const given = args.flatMap(({ name }) => {
      if (name === 'input') return '$input';
      if (name === 'id') return `"${idOf(operation.resource!)}"`;
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

const idOf = (kind: ResourceKind): string => pathIds[resources[kind].idField]!;

/** What is changed is named by `id`; a contract names it by the id field of its resource. */
function graphqlInput(operation: Operation, type: GraphQLNamedType): Record<string, unknown> {
  const fields = isInputObjectType(type) ? type.getFields() : {};
  const idField = operation.resource && resources[operation.resource].idField;
  return Object.fromEntries(
    Object.entries(sampleInput(operation)).map(([name, value]) => {
      const shown = name === idField && !(name in fields) ? 'id' : name;
      const enumeration = getNamedType(fields[shown]?.type);
      if (!isEnumType(enumeration)) return [shown, value];
      const nameOf = (one: unknown) =>
        enumeration.getValues().find((candidate) => candidate.value === one)!.name;
      return [shown, Array.isArray(value) ? value.map(nameOf) : nameOf(value)];
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
