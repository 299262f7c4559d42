import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationTypeNode,
  type ValueNode,
} from 'graphql';
import { pageMax } from '@roster/contracts';
import { costOf } from './field-cost.js';
import { callCost, scalarsPerField, searchCost } from './limits.js';

export type Variables = Readonly<Record<string, unknown>>;

/** A field of a document and the type that it is selected on; undefined if the document is invalid there. */
export interface SelectedField {
  node: FieldNode;
  parent: GraphQLNamedType | undefined;
}

export interface Sizes {
  /** Cost of the field for each occurrence of its parent, without the fields selected on it. */
  own: number;
  /** Maximum number of objects that the field returns. */
  entries: number;
  /** Maximum number of entries of the lists of a connection. */
  page: number;
}

/** The lists of the introspection types. Their sizes are those of the schema. */
type IntrospectionSizes = ReadonlyMap<string, number>;

/** Determines what a field costs, from the schema, the bounds declared on its fields and the arguments of the document. */
export class CostModel {
  readonly #schema: GraphQLSchema;
  readonly #introspection: IntrospectionSizes;

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
    this.#introspection = introspectionSizes(schema);
  }

  typeNamed(name: string): GraphQLNamedType | undefined {
    return this.#schema.getType(name);
  }

  /** `Query`, `Mutation` or `Subscription`. */
  rootOf(operation: OperationTypeNode): GraphQLNamedType | undefined {
    return this.#schema.getRootType(operation) ?? undefined;
  }

  /** Type of the objects that a field returns. */
  typeOf({ node, parent }: SelectedField): GraphQLNamedType | undefined {
    const field = this.#fieldOf(node, parent);
    return field && getNamedType(field.type);
  }

  /** @param page of the parent, if it is a connection */
  sizesOf({ node, parent }: SelectedField, variables: Variables, page: number): Sizes {
    const field = this.#fieldOf(node, parent);
    if (!field || !parent) return { own: 1, entries: 1, page: 1 };
    const { entriesMax, calls, searchedBy } = costOf(field);
    const given = countGiven(node, variables);
    const isList = isListType(getNullableType(field.type));
    const listMax = entriesMax ?? this.#introspection.get(`${parent.name}.${field.name}`) ?? page;
    const entries = isList ? (given ?? listMax) : 1;
    const isRoot =
      parent === this.#schema.getQueryType() || parent === this.#schema.getMutationType();
    const callCount = calls === 'entry' ? entries : calls === 'field' || isRoot ? 1 : 0;
    const isPlain = node.name.value.startsWith('__');
    const isSearch = node.arguments?.some(({ name }) => name.value === searchedBy) ?? false;
    const scalars = isLeafType(getNamedType(field.type)) ? entries : 0;
    return {
      own:
        1 +
        Math.floor(scalars / scalarsPerField) +
        (isPlain ? 0 : callCount * callCost) +
        (isSearch ? searchCost : 0),
      entries,
      page: isList ? 1 : (given ?? pageMax),
    };
  }

  #fieldOf(
    { name: { value: name } }: FieldNode,
    parent: GraphQLNamedType | undefined,
  ): GraphQLField<unknown, unknown> | undefined {
    if (name === '__typename') return TypeNameMetaFieldDef;
    if (parent && parent === this.#schema.getQueryType()) {
      if (name === '__schema') return SchemaMetaFieldDef;
      if (name === '__type') return TypeMetaFieldDef;
    }
    return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
  }
}

/** Number of entries that the arguments of a field request. */
function countGiven(
  { arguments: given = [] }: FieldNode,
  variables: Variables,
): number | undefined {
  for (const { name, value } of given) {
    if (name.value === 'first' || name.value === 'last') {
      const count = valueOf(value, variables);
      if (typeof count === 'number' && count > 0) return count;
    }
    if (name.value === 'ids') {
      const ids = valueOf(value, variables);
      if (Array.isArray(ids)) return ids.length;
    }
  }
  return undefined;
}

/** Value of an integer, a list or a variable; undefined for others. */
export function valueOf(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.INT) return Number(value.value);
  if (value.kind === Kind.LIST) return value.values;
  return value.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
}

function introspectionSizes(schema: GraphQLSchema): IntrospectionSizes {
  const types = Object.values(schema.getTypeMap());
  const most = (count: (type: GraphQLNamedType) => number) => Math.max(1, ...types.map(count));
  const fieldsOf = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const directives = schema.getDirectives();
  return new Map([
    ['__Schema.types', types.length],
    ['__Schema.directives', directives.length],
    ['__Type.fields', most((type) => fieldsOf(type).length)],
    ['__Type.interfaces', most((type) => (isObjectType(type) ? type.getInterfaces().length : 0))],
    [
      '__Type.possibleTypes',
      most((type) => (isInterfaceType(type) ? schema.getPossibleTypes(type).length : 0)),
    ],
    ['__Type.enumValues', most((type) => (isEnumType(type) ? type.getValues().length : 0))],
    [
      '__Type.inputFields',
      most((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0)),
    ],
    ['__Field.args', most((type) => Math.max(0, ...fieldsOf(type).map(({ args }) => args.length)))],
    ['__Directive.args', Math.max(1, ...directives.map(({ args }) => args.length))],
    ['__Directive.locations', Math.max(1, ...directives.map(({ locations }) => locations.length))],
  ]);
}
