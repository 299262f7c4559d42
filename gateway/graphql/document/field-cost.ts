import { pageMax } from '@roster/contracts';
import {
  getNamedType,
  getNullableType,
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
  type ValueNode,
} from 'graphql';
import { Extensions } from 'type-graphql';

/** What a field costs in addition to itself and its fields. */
export interface FieldCost {
  /** Maximum number of entries of the list. An argument `first`, `last` or `ids` replaces it. */
  entriesMax?: number;
  /** Whether a service is called to resolve the field, or each entry of the list. Fields of `Query` and `Mutation` call one. */
  calls?: 'field' | 'entry';
  /** The arguments with which the field searches: with any of them, it costs `searchCost` more for each occurrence. */
  searchedBy?: readonly string[];
}

/** Declares the cost of a field, for `checkLimits`. */
export const Cost = (cost: FieldCost) => Extensions({ cost });

export const costOf = (field: GraphQLField<unknown, unknown>): FieldCost =>
  (field.extensions['cost'] as FieldCost | undefined) ?? {};

/** An object, or a value that is computed. It takes the gateway's thread at most 10 µs. */
const objectCost = 1;
/** A value that is read from its object. */
const scalarCost = 0.1;
/** An object or value for which a service is called: a share of a batch. */
const callCost = 5;
/** A search reads up to 20,000 contacts. */
export const searchCost = 250;

/** Maximum numbers of entries of the lists of the introspection types, by the names of their fields. */
export const introspectionEntries: Readonly<Record<string, number>> = {
  types: 250,
  directives: 10,
  fields: 75,
  interfaces: 5,
  possibleTypes: 15,
  enumValues: 50,
  inputFields: 25,
  args: 10,
  locations: 20,
};

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

/** @param page of the parent, if it is a connection */
export function sizesOf(
  schema: GraphQLSchema,
  { node, parent }: SelectedField,
  variables: Variables,
  page: number,
): Sizes {
  const field = fieldOf(schema, { node, parent });
  if (!field) return { own: objectCost, entries: 1, page: 1 };
  const { entriesMax, calls, searchedBy = [] } = costOf(field);
  const isMeta = node.name.value.startsWith('__');
  const isRoot = parent === schema.getQueryType() || parent === schema.getMutationType();
  const isCall = calls === 'field' || (calls === undefined && isRoot && !isMeta);
  const given = countGiven(node, variables);
  const isList = isListType(getNullableType(field.type));
  const isComputed = isObjectType(parent) && field.resolve !== undefined && !isList;
  const isPlain = isLeafType(getNamedType(field.type)) && !isComputed;
  const entries = isList ? (given ?? entriesMax ?? introspectionEntries[field.name] ?? page) : 1;
  const each = calls === 'entry' ? callCost : isPlain || isMeta ? scalarCost : objectCost;
  const isSearch = node.arguments?.some(({ name }) => searchedBy.includes(name.value)) ?? false;
  return {
    own:
      (isCall ? callCost : 0) +
      (isCall && !isList ? 0 : entries * each) +
      (isSearch ? searchCost : 0),
    entries,
    page: isList ? 1 : (given ?? pageMax),
  };
}

/** Type of the objects that a field returns. */
export function typeOf(
  schema: GraphQLSchema,
  selected: SelectedField,
): GraphQLNamedType | undefined {
  const field = fieldOf(schema, selected);
  return field && getNamedType(field.type);
}

function fieldOf(
  schema: GraphQLSchema,
  { node, parent }: SelectedField,
): GraphQLField<unknown, unknown> | undefined {
  const name = node.name.value;
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  if (parent && parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/** Number of entries that the arguments of a field request. */
function countGiven(
  { arguments: given = [] }: FieldNode,
  variables: Variables,
): number | undefined {
  for (const { name, value } of given) {
    const found = valueOf(value, variables);
    if (name.value === 'ids' && Array.isArray(found)) return found.length;
    const isCount = name.value === 'first' || name.value === 'last';
    if (isCount && typeof found === 'number' && found > 0) return found;
  }
  return undefined;
}

/** Value of an integer, a list or a variable; undefined for others. */
export function valueOf(value: ValueNode, variables: Variables): unknown {
  if (value.kind === Kind.INT) return Number(value.value);
  if (value.kind === Kind.LIST) return value.values;
  return value.kind === Kind.VARIABLE ? variables[value.name.value] : undefined;
}
