import type { GraphQLField } from 'graphql';
import { Extensions } from 'type-graphql';

/** What a field costs in addition to itself and its fields. */
export interface FieldCost {
  /** Maximum number of entries of the list. An argument `first`, `last` or `ids` replaces it. */
  entriesMax?: number;
  /** Whether a service is called to resolve the field, or each entry of the list. Fields of `Query` and `Mutation` call one. */
  calls?: 'field' | 'entry';
  /** The argument with which the field searches: it then costs `searchCost` more for each occurrence. */
  searchedBy?: string;
}

/** Declares the cost of a field, for `checkLimits`. */
export const Cost = (cost: FieldCost) => Extensions({ cost });

export const costOf = (field: GraphQLField<unknown, unknown>): FieldCost =>
  (field.extensions['cost'] as FieldCost | undefined) ?? {};
